import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { chosenRepos, DeliveriesService } from './deliveries.service.js';
import { toConflictOutput } from './delivery-output.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { EventType } from '../executors/log-entry.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { BranchUpdate } from '../workspaces/delivery-host.js';
import { requireBranchName, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { DeliveryTrace } from './delivery-trace.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import type {
  RepoUpdateOutput,
  UpdateAction,
  UpdateAttemptBranchInput,
  UpdateAttemptBranchOutput,
} from './update-attempt-branch.dto.js';

type UpdateInput = Omit<UpdateAttemptBranchInput, 'request_id'>;

/** Brings the target into the branch of an attempt. Conflicts stay in the worktree for the agent to resolve; they are
 *  read from disk, so they survive a crash of this server. */
@Injectable()
export class UpdateAttemptBranchService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly events: AttemptEvents,
    private readonly trace: DeliveryTrace,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, branch_unknown,
   *  operation_in_progress, no_operation, conflicts_unresolved, uncommitted_changes, branch_left, unrelated_histories,
   *  idempotency_conflict */
  async update(
    { request_id, ...input }: UpdateAttemptBranchInput,
    principal: Principal,
  ): Promise<UpdateAttemptBranchOutput> {
    requireBranchName('target_branch', input.target_branch);
    const request = { operation: 'update_attempt_branch', principal, key: request_id, payload: input };
    return this.lanes.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forUpdate(input.attempt_id, principal);
      const repos: RepoUpdateOutput[] = [];
      for (const repo of await this.affected(subject, input)) repos.push(await this.updateOne(subject, repo, input));
      return this.finish(subject, input, repos, request);
    });
  }

  /** By default a start means every repository, continue and abort those with an update in progress. */
  private async affected({ workspace }: DeliverySubject, input: UpdateInput): Promise<AttemptRepo[]> {
    const rows = await this.attemptRows.listRepos(workspace.attempt_id);
    const repos = chosenRepos(rows, input.repo_id === undefined ? undefined : [input.repo_id]);
    if (input.action === 'start' || input.repo_id !== undefined) return repos;
    const standings = await this.host.standing(workspace);
    const isAffected = ({ repo_name, operation }: AttemptRepo) =>
      operation !== null || standings.some((one) => one.repo_name === repo_name && one.operation !== null);
    const found = repos.filter(isAffected);
    if (found.length === 0)
      throw new AppError('no_operation', { repo_name: rows.map(({ repo_name }) => repo_name).join(', ') });
    return found;
  }

  private async updateOne(subject: DeliverySubject, repo: AttemptRepo, input: UpdateInput): Promise<RepoUpdateOutput> {
    await this.lanes.requireAlone(repo.attempt_id);
    const update = await this.perform(subject, repo, input);
    await this.remember(subject, repo, update, input);
    const { repo_id, repo_name } = repo;
    const conflict = update.conflict && toConflictOutput(repo, update.conflict);
    const status = input.action === 'abort' ? 'aborted' : update.outcome;
    return { repo_id, repo_name, status, head: update.head, conflict };
  }

  private perform(
    { workspace }: DeliverySubject,
    { repo_name, operation_onto }: AttemptRepo,
    { action, method = 'merge', target_branch }: UpdateInput,
  ): Promise<BranchUpdate> {
    if (action === 'continue') return this.host.continueUpdate(workspace, { repo_name, onto: operation_onto });
    if (action === 'abort') return this.host.abortUpdate(workspace, repo_name);
    const target = target_branch === undefined ? {} : { target_branch };
    return this.host.updateBranch(workspace, { repo_name, method, ...target });
  }

  /** Once the target is in, changes count from it. */
  private async remember(
    { attempt, principal }: DeliverySubject,
    repo: AttemptRepo,
    { outcome, onto, head }: BranchUpdate,
    input: UpdateInput,
  ): Promise<void> {
    const { repo_id, attempt_id } = repo;
    const event = eventOf(input.action, outcome);
    if (event === null) return;
    const operation = outcome === 'conflict' ? (repo.operation ?? input.method ?? 'merge') : null;
    const state = { operation, operation_onto: operation && onto };
    await this.database.transaction(async (tx) => {
      await this.attemptRows.setOperation(tx, repo, state, event.type === 'branch_updated' ? onto : null);
      await this.events.delivery(tx, attempt_id, { ...event, metadata: { repo_id, onto, head } });
      await this.trace.changed(tx, attempt, event.type, { repo_id, onto, head }, principal);
    });
  }

  private async finish(
    { attempt, workspace, principal }: DeliverySubject,
    { action }: UpdateInput,
    repos: RepoUpdateOutput[],
    request: Request,
  ): Promise<UpdateAttemptBranchOutput> {
    const state = await this.deliveries.stateOf(workspace);
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      await this.attemptRows.lock(tx, principal, attempt.id);
      await this.attemptRows.setDeliveryState(tx, attempt.id, state);
      return { attempt_id: attempt.id, action, state, repos };
    });
  }
}

function eventOf(action: UpdateAction, outcome: BranchUpdate['outcome']): { type: EventType; content: string } | null {
  if (action === 'abort') return { type: 'update_aborted', content: 'the update of the branch was given up' };
  if (outcome === 'conflict') return { type: 'conflicts_found', content: 'the target conflicts with the branch' };
  if (outcome === 'up_to_date') return null;
  return { type: 'branch_updated', content: 'the target was taken into the branch' };
}
