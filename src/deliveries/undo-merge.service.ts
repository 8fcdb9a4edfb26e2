import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { chosenRepos, DeliveriesService } from './deliveries.service.js';
import type { Delivery } from './delivery.entity.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { askedUndo } from './asked-deliveries.js';
import { DeliveryConsent } from './delivery-consent.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import type { MergeAttemptOutput, RepoMergeOutput, UndoMergeInput } from './merge-attempt.dto.js';
import { MergeLanding } from './merge-landing.service.js';

/** Resets targets to where they were before the last merge of an attempt, if nobody has moved them since. */
@Injectable()
export class UndoMergeService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly consent: DeliveryConsent,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly landing: MergeLanding,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, nothing_to_undo,
   *  target_moved, target_checked_out, target_checkout_dirty, repo_locked, approval_required, idempotency_conflict
   *  @param approved what a person approved; anything else is refused */
  async undo(
    { request_id, ...input }: UndoMergeInput,
    principal: Principal,
    approved: readonly ApprovedHead[] = [],
  ): Promise<MergeAttemptOutput> {
    const request = { operation: 'undo_merge', principal, key: request_id, payload: input };
    return this.lanes.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forDelivery(input.attempt_id, principal);
      await this.consent.requireUnmoved(subject.workspace, approved);
      const repos = await this.lanes.atTargets(subject.workspace, () => this.undoAll(subject, input));
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
    await this.landing.settle(subject);
    const rows = await this.deliveryRows.listUndoable(subject.attempt.id);
    const repos = chosenRepos(await this.attemptRows.listRepos(subject.attempt.id), input.repo_ids);
    const merged = repos.flatMap((repo) => {
      const row = rows.find(({ repo_id }) => repo_id === repo.repo_id);
      return row ? [{ repo, row }] : [];
    });
    if (merged.length === 0) throw await this.nothing(subject.attempt.id);
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
    if (!subject.mayOnlyAsk) return;
    const repos = subject.workspace.repos.filter(({ repo_name }) =>
      merged.some(({ repo }) => repo.repo_name === repo_name),
    );
    const heads = await this.host.heads({ ...subject.workspace, repos });
    await this.consent.require(subject, askedUndo(input, merged, heads));
  }

  private async undoOne(
    subject: DeliverySubject,
    repo: AttemptRepo,
    row: Delivery,
    with_checkout: boolean,
  ): Promise<RepoMergeOutput> {
    const { repo_id, repo_name } = repo;
    await this.landing.undo(subject, repo, row, with_checkout);
    const { target_before: commit, target_after: target_before } = row;
    return { repo_id, repo_name, status: 'undone', strategy: null, commit, target_before, error: null };
  }

  private async nothing(attempt_id: string): Promise<AppError> {
    const unsettled = await this.deliveryRows.listUnsettled(attempt_id, 'merge');
    return new AppError(unsettled.length > 0 ? 'delivery_in_progress' : 'nothing_to_undo', { attempt_id });
  }
}
