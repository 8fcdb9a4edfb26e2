import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { OpenRequests } from '../platform/access/caller-limits.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { refusal } from '../platform/fields/input-errors.js';
import { LIST_BYTES, pageLimit } from '../platform/fields/paging.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { Workspace } from '../workspaces/workspace-host.js';
import { toAttemptOutput, toAttemptStatusOutput, toAwaitedOutput } from './attempt-output.js';
import type { StatusRow } from './attempt-rows.js';
import {
  type AttemptStatusInput,
  type AttemptStatusOutput,
  type ContextOutput,
  type ListAttemptsInput,
  type ListAttemptsOutput,
  MAX_AWAITED,
  type WaitForAttemptsInput,
  type WaitForAttemptsOutput,
} from './attempt.dto.js';
import type { Attempt } from './attempt.entity.js';
import { AttemptsRepository } from './attempts.repository.js';

const DEFAULT_WAIT_MS = 20_000;

const isRunning = ({ state }: StatusRow): boolean => state === 'running';

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

  /** With `wait_ms`, answers when the state is no longer `while_state`, when an approval other than `while_approval` is
   *  asked for, or when the time is over.
   *  @throws AppError attempt_not_found, not_a_member, too_many_streams */
  async status(input: AttemptStatusInput, principal: Principal): Promise<AttemptStatusOutput> {
    if (!input.wait_ms) return this.outputOf(await this.attemptRows.getStatus(principal, input.attempt_id));
    return this.open.hold(principal, () => this.statusOnceChanged(input, principal));
  }

  private async statusOnceChanged(input: AttemptStatusInput, principal: Principal): Promise<AttemptStatusOutput> {
    const { while_state = 'running', while_approval } = input;
    let row!: StatusRow;
    await this.hub.waitFor(input.attempt_id, input.wait_ms ?? 0, async () => {
      row = await this.attemptRows.getStatus(principal, input.attempt_id);
      const isAsked = row.approval !== null && row.approval.approval_id !== while_approval;
      return row.state === while_state && !isAsked ? null : row;
    });
    return this.outputOf(row);
  }

  private async outputOf(row: StatusRow): Promise<AttemptStatusOutput> {
    const { MAX_CONCURRENT_PER_PROJECT: project, MAX_CONCURRENT_PER_EXECUTOR: executors } = this.environment;
    const isQueued = row.execution_status === 'queued';
    const [work, waiting] = await Promise.all([
      this.attemptRows.listWork([row.attempt_id]),
      isQueued ? this.attemptRows.findWaiting(row.attempt_id, { project, executors }) : null,
    ]);
    return toAttemptStatusOutput(row, work.get(row.attempt_id)!, waiting);
  }

  /** Answers when one or all of them no longer run, when one asks for an approval, or when the time is over.
   *  @throws AppError invalid_argument, attempt_not_found, not_a_member, too_many_streams */
  async waitFor(input: WaitForAttemptsInput, principal: Principal): Promise<WaitForAttemptsOutput> {
    const { until = 'any', wait_ms = DEFAULT_WAIT_MS } = input;
    const attempt_ids = [...new Set(input.attempt_ids)];
    if (input.attempt_ids.length > MAX_AWAITED)
      throw refusal([{ field: 'attempt_ids', message: `attempt_ids holds at most ${MAX_AWAITED} ids` }]);
    const look = () => Promise.all(attempt_ids.map((id) => this.attemptRows.getStatus(principal, id)));
    let rows!: StatusRow[];
    const met = await this.open.hold(principal, () =>
      this.hub.waitFor(attempt_ids, wait_ms, async () => {
        rows = await look();
        const left = rows.filter(isRunning);
        const isOver = until === 'all' ? left.length === 0 : left.length < rows.length;
        return isOver || left.some(({ approval }) => approval !== null) ? true : null;
      }),
    );
    const work = await this.attemptRows.listWork(attempt_ids);
    const share = LIST_BYTES / 2 / rows.length; // half of an answer, the rest says how they are
    return {
      attempts: rows.map((row) => toAwaitedOutput(row, work.get(row.attempt_id)!, share)),
      done: rows.filter((row) => !isRunning(row)).map(({ attempt_id }) => attempt_id),
      timed_out: met === null,
    };
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
