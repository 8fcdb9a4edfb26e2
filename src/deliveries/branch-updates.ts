import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { EventType } from '../executors/log-entry.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { BranchUpdate } from '../workspaces/delivery-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { chosenRepos } from './deliveries.service.js';
import type { Asking } from './delivery-consent.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { toConflictOutput } from './delivery-output.js';
import { DeliveryTrace } from './delivery-trace.js';
import { mergeMessage } from './merge-plan.js';
import type { RepoUpdateOutput, UpdateAction, UpdateAttemptBranchInput } from './update-attempt-branch.dto.js';

export type UpdateInput = Omit<UpdateAttemptBranchInput, 'request_id'>;
/** Whose branch it is, and who updates it. */
export type Updating = Omit<Asking, 'mayOnlyAsk'>;

/** Takes the target into the branch, repository by repository. Callers hold the lane of the attempt. */
@Injectable()
export class BranchUpdates {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly lanes: DeliveryLanes,
    private readonly attemptRows: AttemptsRepository,
    private readonly taskRows: TasksRepository,
    private readonly events: AttemptEvents,
    private readonly trace: DeliveryTrace,
    private readonly checkRows: CheckRunsRepository,
  ) {}

  /** @throws AppError repo_not_found, branch_unknown, operation_in_progress, no_operation, conflicts_unresolved,
   *  branch_left, unrelated_histories */
  async updateAll(subject: Updating, input: UpdateInput): Promise<RepoUpdateOutput[]> {
    const outputs: RepoUpdateOutput[] = [];
    for (const repo of await this.affected(subject, input)) outputs.push(await this.updateOne(subject, repo, input));
    return outputs;
  }

  /** By default a start means every repository, continue and abort those with an update in progress. */
  private async affected({ workspace }: Updating, input: UpdateInput): Promise<AttemptRepo[]> {
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

  private async updateOne(subject: Updating, repo: AttemptRepo, input: UpdateInput): Promise<RepoUpdateOutput> {
    await this.lanes.requireAlone(repo.attempt_id);
    const update = await this.perform(subject, repo, input);
    await this.remember(subject, repo, update, input);
    const { repo_id, repo_name } = repo;
    const conflict = update.conflict && toConflictOutput(repo, update.conflict);
    const status = input.action === 'abort' ? 'aborted' : update.outcome;
    return { repo_id, repo_name, status, head: update.head, conflict };
  }

  private async perform(
    { workspace, attempt, principal }: Updating,
    { repo_name, operation_onto }: AttemptRepo,
    { action, method = 'merge', target_branch, resolve }: UpdateInput,
  ): Promise<BranchUpdate> {
    const open = resolve && (await this.openUpdate(workspace, repo_name));
    if (open) return open;
    if (action === 'continue') return this.host.continueUpdate(workspace, { repo_name, onto: operation_onto });
    if (action === 'abort') return this.host.abortUpdate(workspace, repo_name);
    const message = mergeMessage(attempt, await this.taskRows.getWithAttempts(principal, attempt.task_id));
    const target = target_branch === undefined ? {} : { target_branch };
    return this.host.updateBranch(workspace, { repo_name, method, message, ...target });
  }

  /** One that is in progress already, as after a call that was cut off, is given to the agent as it stands. */
  private async openUpdate(workspace: Workspace, name: string): Promise<BranchUpdate | null> {
    const standing = (await this.host.standing(workspace)).find(({ repo_name }) => repo_name === name);
    const { head, operation } = standing ?? {};
    if (!head || !operation?.onto) return null;
    return { outcome: 'conflict', head, onto: operation.onto, conflict: operation.report };
  }

  /** Once the target is in, changes count from it. */
  private async remember(
    { attempt, principal }: Updating,
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
      await this.checkRows.outdate(tx, attempt_id);
    });
  }
}

function eventOf(action: UpdateAction, outcome: BranchUpdate['outcome']): { type: EventType; content: string } | null {
  if (action === 'abort') return { type: 'update_aborted', content: 'the update of the branch was given up' };
  if (outcome === 'conflict') return { type: 'conflicts_found', content: 'the target conflicts with the branch' };
  if (outcome === 'up_to_date') return null;
  return { type: 'branch_updated', content: 'the target was taken into the branch' };
}
