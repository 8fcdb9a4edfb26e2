import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { chosenRepos, DeliveriesService } from '../deliveries/deliveries.service.js';
import type { Delivery } from '../deliveries/delivery.entity.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { askedUndo } from './asked-deliveries.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import type { MergeAttemptOutput, RepoMergeOutput, UndoMergeInput } from './merge-attempt.dto.js';
import { requireLanded } from './merge-landing.service.js';

/** Puts targets back to where they were before the last merge of an attempt, while nobody has moved them since. */
@Injectable()
export class UndoMergeService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly trace: DeliveryTrace,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, nothing_to_undo,
   *  target_moved, target_checked_out, target_checkout_dirty, repo_locked, approval_required, idempotency_conflict
   *  @param approved what a person said yes to: anything else is refused */
  async undo(
    { request_id, ...input }: UndoMergeInput,
    principal: Principal,
    approved: readonly ApprovedHead[] = [],
  ): Promise<MergeAttemptOutput> {
    const request = { operation: 'undo_merge', principal, key: request_id, payload: input };
    return this.subjects.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forDelivery(input.attempt_id, principal);
      await this.subjects.consent.requireUnmoved(subject.workspace, approved);
      const repos = await this.subjects.atTargets(subject.workspace, () => this.undoAll(subject, input));
      const state = await this.deliveries.stateOf(subject.workspace);
      const { id: attempt_id, project_id } = subject.attempt;
      return this.idempotency.once({ ...request, project_id }, async (tx) => {
        await this.attemptRows.lock(tx, principal, attempt_id);
        await this.attemptRows.setDeliveryState(tx, attempt_id, state);
        return { attempt_id, state, dry_run: false, repos };
      });
    });
  }

  private async undoAll(subject: DeliverySubject, input: UndoMergeInput) {
    const rows = await this.deliveryRows.listUndoable(subject.attempt.id);
    const repos = chosenRepos(await this.attemptRows.listRepos(subject.attempt.id), input.repo_ids);
    const merged = repos.flatMap((repo) => {
      const row = rows.find(({ repo_id }) => repo_id === repo.repo_id);
      return row ? [{ repo, row }] : [];
    });
    if (merged.length === 0) throw new AppError('nothing_to_undo', { attempt_id: subject.attempt.id });
    await this.requireConsent(subject, input, merged);
    const outputs: RepoMergeOutput[] = [];
    for (const { repo, row } of merged)
      outputs.push(await this.undoOne(subject, repo, row, input.checked_out === 'update'));
    return outputs;
  }

  private async requireConsent(
    subject: DeliverySubject,
    input: UndoMergeInput,
    merged: readonly { repo: AttemptRepo; row: Delivery }[],
  ): Promise<void> {
    const repos = subject.workspace.repos.filter(({ repo_name }) =>
      merged.some(({ repo }) => repo.repo_name === repo_name),
    );
    const heads = await this.host.heads({ ...subject.workspace, repos });
    await this.subjects.consent.require(subject, askedUndo(input, merged, heads));
  }

  private async undoOne(
    { workspace, principal }: DeliverySubject,
    repo: AttemptRepo,
    row: Delivery,
    with_checkout: boolean,
  ): Promise<RepoMergeOutput> {
    const { repo_id, repo_name } = repo;
    const [from, to] = [row.target_after, row.target_before!];
    requireLanded(await this.host.land(workspace, { repo_name, from, to, with_checkout }), repo);
    // A branch that was put on the commit of the merge now stands on what that stood on.
    const base = repo.delivered_head === row.target_after ? to : row.base_before;
    await this.database.transaction(async (tx) => {
      await this.deliveryRows.update(tx, row.id, { state: 'undone' });
      await this.attemptRows.setDelivered(tx, repo, null, base);
      await this.trace.undone(tx, row, principal);
    });
    return { repo_id, repo_name, status: 'undone', strategy: null, commit: to, target_before: from, error: null };
  }
}
