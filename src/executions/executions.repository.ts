import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, requireMember } from '../platform/access/membership.js';
import { projectScope } from '../platform/access/project-scope.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { Execution } from './execution.entity.js';

const LIVE = "status IN ('queued', 'running') AND run_reason <> 'devserver'";

export type LiveRun = Pick<Execution, 'id' | 'attempt_id' | 'project_id'> & { executor: string };

/** How a run ended, as it is stored. */
export type ExecutionEnd = Pick<Execution, 'status' | 'exit_code' | 'failure_summary' | 'final_message'>;

@Injectable()
export class ExecutionsRepository {
  constructor(private readonly database: Database) {}

  /** @throws AppError execution_not_found */
  async get(principal: Principal, id: string): Promise<Execution> {
    const [execution] = await this.database.query<Execution & Guarded>(
      `SELECT ${columnsOf(Execution, 'e')}, is_excluded(e.project_id, $3) AS is_excluded
       FROM executions e
       JOIN live_tasks t ON t.id = e.task_id
       WHERE e.id = $1 AND ($2::uuid[] IS NULL OR e.project_id = ANY($2))`,
      [id, projectScope(principal), principal.worker],
    );
    if (!execution) throw new AppError('execution_not_found', { execution_process_id: id });
    return requireMember(execution, execution.project_id);
  }

  async findLive(attempt_id: string): Promise<Execution | null> {
    const [execution] = await this.database.query<Execution>(
      `SELECT ${columnsOf(Execution)}
       FROM executions
       WHERE attempt_id = $1 AND ${LIVE}`,
      [attempt_id],
    );
    return execution ?? null;
  }

  async findLiveOfTask(task_id: string): Promise<Execution | null> {
    const [execution] = await this.database.query<Execution>(
      `SELECT ${columnsOf(Execution)}
       FROM executions
       WHERE task_id = $1 AND ${LIVE} LIMIT 1`,
      [task_id],
    );
    return execution ?? null;
  }

  async findLiveOfProject(project_id: string): Promise<Execution | null> {
    const [execution] = await this.database.query<Execution>(
      `SELECT ${columnsOf(Execution)}
       FROM executions
       WHERE task_id IN (SELECT id FROM live_tasks WHERE project_id = $1) AND ${LIVE} LIMIT 1`,
      [project_id],
    );
    return execution ?? null;
  }

  async listRunningOf(runner_id: string): Promise<Execution[]> {
    return this.database.query<Execution>(
      `SELECT ${columnsOf(Execution)}
       FROM executions
       WHERE runner_id = $1 AND status = 'running'`,
      [runner_id],
    );
  }

  /** Attempts where a message waits though nothing runs. */
  async listIdleWithMessage(): Promise<string[]> {
    const rows = await this.database.query<{ attempt_id: string }>(
      `SELECT DISTINCT q.attempt_id
       FROM queued_messages q
       JOIN attempts a ON a.id = q.attempt_id
       JOIN live_tasks t ON t.id = a.task_id
       WHERE NOT EXISTS (SELECT 1 FROM executions e WHERE e.attempt_id = q.attempt_id AND ${LIVE})`,
    );
    return rows.map((row) => row.attempt_id);
  }

  /** Repositories whose setup has succeeded in the attempt. */
  async listCompletedSetups(attempt_id: string): Promise<string[]> {
    const rows = await this.database.query<{ repo_id: string }>(
      `SELECT repo_id FROM executions
       WHERE attempt_id = $1 AND run_reason = 'setupscript' AND status = 'completed'`,
      [attempt_id],
    );
    return rows.map((row) => row.repo_id);
  }

  /** A second live run of an attempt clashes with executions_one_live, which is session_busy. */
  async insert(execution: Omit<Execution, 'number'>): Promise<void> {
    await this.database.manager.insert(Execution, execution);
  }

  /** Takes the run that is queued for a job; again where only the answer was lost. @returns null where none waits for
   *  that job */
  async claim(attempt_id: string, job_id: string, runner_id: string): Promise<Execution | null> {
    const [execution] = await this.database.query<Execution>(
      `UPDATE executions
       SET status = 'running', runner_id = $3, started_at = coalesce(started_at, now()), updated_at = now()
       WHERE attempt_id = $1 AND job_id = $2 AND (status = 'queued' OR (status = 'running' AND runner_id = $3))
       RETURNING ${columnsOf(Execution)}`,
      [attempt_id, job_id, runner_id],
    );
    return execution ?? null;
  }

  /** The step that runs under a job. */
  async findHeld(attempt_id: string, job_id: string): Promise<Execution | null> {
    const [execution] = await this.database.query<Execution>(
      `SELECT ${columnsOf(Execution)}
       FROM executions
       WHERE attempt_id = $1 AND job_id = $2 AND status = 'running'`,
      [attempt_id, job_id],
    );
    return execution ?? null;
  }

  /** @param job_id fences a run's own write: after another took over it changes nothing. @returns false then */
  async end(id: string, end: ExecutionEnd, job_id: string | null): Promise<boolean> {
    return (
      (await this.database.affected(
        `UPDATE executions
         SET status = $2, exit_code = $3, failure_summary = $4, final_message = coalesce($5, final_message),
           completed_at = now(), updated_at = now()
         WHERE id = $1 AND status IN ('queued', 'running') AND ($6::uuid IS NULL OR job_id = $6)`,
        [id, end.status, end.exit_code, end.failure_summary, end.final_message, job_id],
      )) > 0
    );
  }

  /** Turns of the attempt up to this one. */
  async countTurns({ attempt_id, number }: Pick<Execution, 'attempt_id' | 'number'>): Promise<number> {
    const [row] = await this.database.query<{ turns: number }>(
      `SELECT count(*)::int AS turns FROM executions
       WHERE attempt_id = $1 AND run_reason = 'codingagent' AND number <= $2`,
      [attempt_id, number],
    );
    return row!.turns;
  }

  async setToken(id: string, token_hash: Buffer): Promise<void> {
    await this.database.query('UPDATE executions SET token_hash = $2 WHERE id = $1', [id, token_hash]);
  }

  /** The live run that was given the token. */
  async findByToken(token_hash: Buffer): Promise<LiveRun | null> {
    const [run] = await this.database.query<LiveRun>(
      `SELECT e.id, e.attempt_id, e.project_id, s.executor
       FROM executions e JOIN sessions s ON s.id = e.session_id
       WHERE e.token_hash = $1 AND e.status = 'running'`,
      [token_hash],
    );
    return run ?? null;
  }

  /** Force is remembered once asked for. */
  async requestStop(id: string, force: boolean): Promise<void> {
    await this.database.query(
      `UPDATE executions
       SET stop_requested_at = coalesce(stop_requested_at, now()), stop_forced = stop_forced OR $2, updated_at = now()
       WHERE id = $1`,
      [id, force],
    );
  }

  async findStop(id: string, job_id: string): Promise<{ isMine: boolean; isRequested: boolean; isForced: boolean }> {
    const [row] = await this.database.query<Pick<Execution, 'stop_requested_at' | 'stop_forced'>>(
      `SELECT stop_requested_at, stop_forced FROM executions
       WHERE id = $1 AND job_id = $2 AND status = 'running'`,
      [id, job_id],
    );
    return {
      isMine: row !== undefined,
      isRequested: row?.stop_requested_at != null,
      isForced: row?.stop_forced ?? false,
    };
  }
}
