import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import type { Session } from '../sessions/session.entity.js';
import { requireBranchName } from '../workspaces/workspace-host.js';
import { BranchUpdates, type UpdateInput } from './branch-updates.js';
import { ConflictHandOver } from './conflict-hand-over.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import type {
  RepoUpdateOutput,
  UpdateAttemptBranchInput,
  UpdateAttemptBranchOutput,
} from './update-attempt-branch.dto.js';

/** Brings the target into the branch of an attempt. Conflicts stay in the worktree until an agent or a person has
 *  resolved them; they are read from disk, so they survive a crash of this server. */
@Injectable()
export class UpdateAttemptBranchService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly subjects: DeliverySubjects,
    private readonly updates: BranchUpdates,
    private readonly handOver: ConflictHandOver,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, branch_unknown,
   *  operation_in_progress, no_operation, conflicts_unresolved, branch_left, unrelated_histories,
   *  idempotency_conflict, and with `resolve` what a follow-up refuses */
  async update(
    { request_id, ...input }: UpdateAttemptBranchInput,
    principal: Principal,
  ): Promise<UpdateAttemptBranchOutput> {
    requireBranchName('target_branch', input.target_branch);
    const request = { operation: 'update_attempt_branch', principal, key: request_id, payload: input };
    return this.lanes.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forUpdate(input.attempt_id, principal);
      const resolver = input.resolve ? await this.handOver.resolver(input.attempt_id, principal) : null;
      const repos = await this.updates.updateAll(subject, input);
      return this.finish(subject, input, repos, resolver, request);
    });
  }

  /** Writes the state, the message for the agent that resolves, and the stored answer together. */
  private async finish(
    subject: DeliverySubject,
    { action, resolve }: UpdateInput,
    repos: RepoUpdateOutput[],
    resolver: Session | null,
    request: Request,
  ): Promise<UpdateAttemptBranchOutput> {
    const { attempt, workspace, principal } = subject;
    const resolving = resolver !== null && repos.some(({ status }) => status === 'conflict');
    const prompt = resolving ? await this.handOver.prompt(workspace, resolve?.prompt) : null;
    const state = await this.deliveries.stateOf(workspace);
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      await this.attemptRows.lock(tx, principal, attempt.id);
      await this.attemptRows.setDeliveryState(tx, attempt.id, state);
      await this.attemptRows.setResolving(tx, attempt.id, resolving);
      if (resolver !== null && prompt !== null) await this.handOver.ask(tx, resolver, prompt, principal);
      return { attempt_id: attempt.id, action, state, resolving, repos };
    });
  }
}
