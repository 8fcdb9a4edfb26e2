import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, membershipOf, projectScope, requireRole } from '../platform/access/rights.js';
import type { FailureCause } from '../executors/agent/failure-cause.js';
import type { Spent } from '../executors/agent/usage.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { toUsageOutput, type UsageOutput, type UsageRow } from '../executors/usage.dto.js';
import type { TextTimes } from '../platform/database/text-times.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { AppError } from '../platform/errors/app-error.js';
import type { EndStatus, Execution, ExecutionStatus, NewExecution, TurnExecution } from './execution.entity.js';
import * as sql from './executions.sql.js';

export type LiveExecution = Pick<
  Execution,
  'id' | 'attempt_id' | 'task_id' | 'project_id' | 'run_reason' | 'started_by'
> & {
  executor: string;
};

/** How an execution ended, as it is stored. */
export type ExecutionEnd = Pick<Execution, 'exit_code' | 'failure_summary' | 'final_message'> & {
  status: EndStatus;
  usage?: Spent | null;
  /** Why an agent failed, by its own words; for whoever follows its turn, and not stored. */
  cause?: FailureCause;
};

export type ListedExecution = Pick<
  Execution,
  | 'id'
  | 'number'
  | 'attempt_id'
  | 'session_id'
  | 'run_reason'
  | 'status'
  | 'variant'
  | 'exit_code'
  | 'failure_summary'
  | 'created_at'
  | 'started_at'
  | 'completed_at'
> &
  UsageRow & { executor: string; duration_ms: number | null };

type MessageOfTurn = Pick<NewExecution, 'prompt' | 'is_task_text' | 'variant' | 'timeout_secs'>;

export interface LiveCounts {
  of_principal: number;
  of_project: number;
}

@Injectable()
export class ExecutionsRepository {
  constructor(private readonly database: Database) {}

  /** @throws AppError execution_not_found */
  async get(principal: Principal, id: string): Promise<Execution> {
    const [execution] = await this.database.query<Execution & Guarded>(sql.GET, [
      id,
      projectScope(principal),
      membershipOf(principal),
    ]);
    const nothing = () => new AppError('execution_not_found', { execution_process_id: id });
    if (!execution) throw nothing();
    return requireRole(execution, principal, nothing);
  }

  async findLive(attempt_id: string): Promise<TurnExecution | null> {
    const [execution] = await this.database.query<TurnExecution>(sql.FIND_LIVE, [attempt_id]);
    return execution ?? null;
  }

  async findLiveOfTask(task_id: string): Promise<TurnExecution | null> {
    const [execution] = await this.database.query<TurnExecution>(sql.FIND_LIVE_OF_TASK, [task_id]);
    return execution ?? null;
  }

  async findLiveOfProject(project_id: string): Promise<TurnExecution | null> {
    const [execution] = await this.database.query<TurnExecution>(sql.FIND_LIVE_OF_PROJECT, [project_id]);
    return execution ?? null;
  }

  /** What the newest turn of a session was about; each of its executions says so. */
  async lastMessage(session_id: string): Promise<MessageOfTurn> {
    const [row] = await this.database.query<MessageOfTurn>(sql.LAST_MESSAGE, [session_id]);
    return row!;
  }

  /** Attempts with a queued message and nothing to run after. */
  async listLeftMessages(most: number): Promise<string[]> {
    const rows = await this.database.query<{ attempt_id: string }>(sql.LIST_LEFT_MESSAGES, [most]);
    return rows.map(({ attempt_id }) => attempt_id);
  }

  /** Live turns of a caller and of a project. Concurrent counts for the same caller wait until the transaction ends. */
  async countLive(_tx: Transaction, started_by: string, project_id: string): Promise<LiveCounts> {
    await this.database.query("SELECT pg_advisory_xact_lock(hashtextextended('turns ' || $1, 0))", [started_by]);
    const [counts] = await this.database.query<LiveCounts>(sql.COUNT_LIVE, [started_by, project_id]);
    return counts ?? { of_principal: 0, of_project: 0 };
  }

  listRunningOf(runner_id: string): Promise<TurnExecution[]> {
    return this.database.query<TurnExecution>(sql.LIST_RUNNING_OF, [runner_id]);
  }

  /** Repositories whose setup has succeeded in the attempt. */
  async listCompletedSetups(attempt_id: string): Promise<string[]> {
    const rows = await this.database.query<{ repo_id: string }>(sql.LIST_COMPLETED_SETUPS, [attempt_id]);
    return rows.map((row) => row.repo_id);
  }

  /** A second live execution of an attempt violates executions_one_live and fails as session_busy. @returns the stored
   *  row */
  async insert(_tx: Transaction, execution: NewExecution): Promise<TurnExecution> {
    const [row] = await this.database.query<TurnExecution>(sql.INSERT, [
      execution.id,
      execution.attempt_id,
      execution.session_id,
      execution.task_id,
      execution.project_id,
      execution.run_reason,
      execution.repo_id,
      execution.status,
      execution.prompt,
      execution.is_task_text,
      execution.variant,
      execution.timeout_secs,
      execution.job_id,
      execution.runner_id,
      execution.started_by,
    ]);
    if (!row) throw new Error(`execution ${execution.id} was not inserted`);
    return row;
  }

  /** Claims the queued execution of a job; repeatable if only the answer was lost. @returns null if none waits for that
   *  job */
  async claim(_tx: Transaction, attempt_id: string, job_id: string, runner_id: string): Promise<TurnExecution | null> {
    const [execution] = await this.database.query<TurnExecution>(sql.CLAIM, [attempt_id, job_id, runner_id]);
    return execution ?? null;
  }

  /** Only for one that has not begun. */
  async setPart(
    _tx: Transaction,
    id: string,
    { run_reason, repo_id }: Pick<Execution, 'run_reason' | 'repo_id'>,
  ): Promise<void> {
    await this.database.query('UPDATE executions SET run_reason = $2, repo_id = $3 WHERE id = $1', [
      id,
      run_reason,
      repo_id,
    ]);
  }

  /** Which check it runs, which is known only once a runner has it. */
  async setCheck(
    _tx: Transaction,
    id: string,
    { repo_id, timeout_secs }: Pick<Execution, 'repo_id' | 'timeout_secs'>,
  ): Promise<void> {
    await this.database.query('UPDATE executions SET repo_id = $2, timeout_secs = $3 WHERE id = $1', [
      id,
      repo_id,
      timeout_secs,
    ]);
  }

  /** The execution that runs under a job. */
  async findHeld(attempt_id: string, job_id: string): Promise<TurnExecution | null> {
    const [execution] = await this.database.query<TurnExecution>(sql.FIND_HELD, [attempt_id, job_id]);
    return execution ?? null;
  }

  /** Fenced by the job: nothing changes after another took over. @param from states it may end from @returns its own
   *  usage; null if it did not end now */
  async end(
    _tx: Transaction,
    { id, job_id }: Pick<TurnExecution, 'id' | 'job_id'>,
    end: ExecutionEnd,
    from: readonly ExecutionStatus[],
  ): Promise<UsageOutput | null> {
    const { status, exit_code, failure_summary, final_message, usage } = end;
    const values = [
      ...[id, job_id, from, status, exit_code, failure_summary, final_message],
      ...[usage?.input_tokens, usage?.cached_input_tokens, usage?.output_tokens],
      ...[usage?.cost_usd, usage?.cost_is_cumulative ?? false],
    ];
    const [row] = await this.database.query<UsageRow>(sql.END, values);
    return row ? toUsageOutput(row) : null;
  }

  /** Newest first, with the executor of each. */
  async listOfAttempt(attempt_id: string, limit: number, cursor?: number): Promise<Page<TextTimes<ListedExecution>>> {
    const rows = await this.database.queryPrepared<ListedExecution>(sql.LIST_OF_ATTEMPT, [
      attempt_id,
      cursor ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
    ]);
    return toPage(rows, limit);
  }

  /** Turns of the attempt up to this one. */
  async countTurns({ attempt_id, number }: Pick<Execution, 'attempt_id' | 'number'>): Promise<number> {
    const [row] = await this.database.query<{ turns: number }>(sql.COUNT_TURNS, [attempt_id, number]);
    return row?.turns ?? 0;
  }

  /** Whether the agent has said anything in a turn. */
  async hasAnswered(attempt_id: string, job_id: string): Promise<boolean> {
    const [row] = await this.database.query<{ has_answered: boolean }>(sql.HAS_ANSWERED, [attempt_id, job_id]);
    return row!.has_answered;
  }

  async setToken(id: string, token_hash: Buffer): Promise<void> {
    await this.database.query('UPDATE executions SET token_hash = $2 WHERE id = $1', [id, token_hash]);
  }

  /** The live execution that was given the token. */
  async findByToken(token_hash: Buffer): Promise<LiveExecution | null> {
    const [execution] = await this.database.query<LiveExecution>(sql.FIND_BY_TOKEN, [token_hash]);
    return execution ?? null;
  }

  /** A forced request stays forced. */
  async requestStop(_tx: Transaction, id: string, force: boolean): Promise<void> {
    await this.database.query(sql.REQUEST_STOP, [id, force]);
  }

  async findStop(id: string, job_id: string): Promise<{ isMine: boolean; isRequested: boolean; isForced: boolean }> {
    const [row] = await this.database.query<Pick<Execution, 'stop_requested_at' | 'stop_forced'>>(sql.FIND_STOP, [
      id,
      job_id,
    ]);
    return {
      isMine: row !== undefined,
      isRequested: row?.stop_requested_at != null,
      isForced: row?.stop_forced ?? false,
    };
  }
}
