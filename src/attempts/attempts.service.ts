import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { OpenRequests } from '../platform/access/caller-limits.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { MAX_WAIT_MS, pageLimit } from '../platform/fields/paging.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { Workspace } from '../workspaces/workspace-host.js';
import { toAttemptOutput, toAttemptStatusOutput } from './attempt-output.js';
import type { StatusRow } from './attempt-rows.js';
import type {
  AttemptStatusInput,
  AttemptStatusOutput,
  ContextOutput,
  ListAttemptsInput,
  ListAttemptsOutput,
} from './attempt.dto.js';
import type { Attempt } from './attempt.entity.js';
import { AttemptsRepository } from './attempts.repository.js';

@Injectable()
export class AttemptsService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly taskRows: TasksRepository,
    private readonly hub: ChangeHub,
    private readonly open: OpenRequests,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async list(input: ListAttemptsInput, principal: Principal): Promise<ListAttemptsOutput> {
    const task = await this.taskRows.getWithAttempts(principal, input.task_id);
    const { rows, ...page } = await this.attemptRows.list(
      principal,
      input.task_id,
      pageLimit(input.limit),
      input.cursor,
    );
    return {
      task_id: task.id,
      ...page,
      attempts: rows.map(toAttemptOutput),
      latest_attempt_id: task.latest_attempt_id,
      latest_session_id: task.latest_session_id,
    };
  }

  /** With `wait_ms`, answers when the state is no longer `while_state`, or when the time is over.
   *  @throws AppError attempt_not_found, not_a_member, too_many_streams */
  async status(input: AttemptStatusInput, principal: Principal): Promise<AttemptStatusOutput> {
    if (!input.wait_ms) return this.outputOf(await this.attemptRows.getStatus(principal, input.attempt_id));
    return this.open.hold(principal, () => this.statusOnceChanged(input, principal));
  }

  private async statusOnceChanged(input: AttemptStatusInput, principal: Principal): Promise<AttemptStatusOutput> {
    const whileState = input.while_state ?? 'running';
    let row!: StatusRow;
    await this.hub.waitFor(input.attempt_id, Math.min(input.wait_ms ?? 0, MAX_WAIT_MS), async () => {
      row = await this.attemptRows.getStatus(principal, input.attempt_id);
      return row.state === whileState ? null : row;
    });
    return this.outputOf(row);
  }

  private async outputOf(row: StatusRow): Promise<AttemptStatusOutput> {
    const { MAX_CONCURRENT_PER_PROJECT: project, MAX_CONCURRENT_PER_EXECUTOR: executors } = this.environment;
    const isQueued = row.execution_status === 'queued';
    return toAttemptStatusOutput(
      row,
      isQueued ? await this.attemptRows.findWaiting(row.attempt_id, { project, executors }) : null,
    );
  }

  async context(attempt_id: string, principal: Principal): Promise<ContextOutput> {
    const context = await this.attemptRows.getContext(principal, attempt_id);
    const repos = await this.attemptRows.listRepos(attempt_id);
    return {
      ...context,
      workspace_repos: repos.map(({ repo_id, repo_name, target_branch }) => ({ repo_id, repo_name, target_branch })),
    };
  }

  /** What the workspace host needs to know about an attempt. */
  async workspace(attempt: Pick<Attempt, 'id' | 'branch' | 'runner_id'>): Promise<Workspace> {
    const repos = await this.attemptRows.listRepos(attempt.id);
    return {
      attempt_id: attempt.id,
      branch: attempt.branch,
      home: attempt.runner_id,
      repos: repos.map(({ repo_name, repo_path, target_branch, base_commit }) => ({
        repo_name,
        repo_path,
        target_branch,
        base_commit,
      })),
    };
  }
}
