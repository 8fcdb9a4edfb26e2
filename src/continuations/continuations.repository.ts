import { Injectable } from '@nestjs/common';
import { withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import type { TaskStatus } from '../tasks/task-stage.js';
import { Continuation, type ContinuationCause, type NewContinuation } from './continuation.entity.js';

const COLUMNS = columnsOf(Continuation);
const OPEN = "state IN ('due', 'queued')";
export type NextContinuation = Omit<NewContinuation, 'due_at'> & { delay_secs: number };

/** Whoever changes them holds the lock of the attempt. */
@Injectable()
export class ContinuationsRepository {
  constructor(private readonly database: Database) {}

  /** @returns null if its cause was seen before */
  async insert(_tx: Transaction, next: NextContinuation): Promise<Continuation | null> {
    const [row] = await this.database.query<Continuation>(
      `INSERT INTO continuations (
         id, attempt_id, project_id, task_id, session_id, cause, cause_key, round, idle, due_at, state, reason,
         prompt, is_task_text, variant, timeout_secs, job_id
       ) VALUES (
         $1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10), $11, $12, $13, $14, $15, $16, $17
       )
       ON CONFLICT (cause_key) DO NOTHING
       RETURNING ${COLUMNS}`,
      [
        ...[next.id, next.attempt_id, next.project_id, next.task_id, next.session_id],
        ...[next.cause, next.cause_key, next.round, next.idle, next.delay_secs, next.state, next.reason],
        ...[next.prompt, next.is_task_text, next.variant, next.timeout_secs, next.job_id],
      ],
    );
    return row ?? null;
  }

  /** The one whose clock a job is, if it is still due. */
  async findByJob(job_id: string): Promise<Continuation | null> {
    const [row] = await this.database.query<Continuation>(
      `SELECT ${COLUMNS} FROM continuations WHERE job_id = $1 AND ${OPEN}`,
      [job_id],
    );
    return row ?? null;
  }

  /** The same, locked, and how its task stands. */
  async lockByJob(_tx: Transaction, job_id: string): Promise<(Continuation & { task_status: TaskStatus }) | null> {
    const [row] = await this.database.query<Continuation & { task_status: TaskStatus }>(
      `SELECT ${columnsOf(Continuation, 'c')}, t.status AS task_status
       FROM continuations c
       JOIN tasks t ON t.id = c.task_id
       WHERE c.job_id = $1 AND c.${OPEN}
       FOR UPDATE OF c`,
      [job_id],
    );
    return row ?? null;
  }

  /** Newest first. */
  async list(attempt_id: string, limit: number, cursor?: number): Promise<Page<Continuation>> {
    const rows = await this.database.query<Continuation>(
      withinBudget(
        `SELECT ${COLUMNS} FROM continuations
         WHERE attempt_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3`,
        { columns: COLUMNS, long: ['prompt'], order: 'number DESC' },
      ),
      [attempt_id, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    return toPage(rows, limit);
  }

  listOpen(attempt_id: string): Promise<Continuation[]> {
    return this.database.query<Continuation>(
      `SELECT ${COLUMNS} FROM continuations WHERE attempt_id = $1 AND ${OPEN} ORDER BY number`,
      [attempt_id],
    );
  }

  /** Due for a while, for whom a job may be missing; nobody else has them meanwhile. */
  lockOverdue(_tx: Transaction, most: number): Promise<Continuation[]> {
    return this.database.query<Continuation>(
      `SELECT ${COLUMNS} FROM continuations
       WHERE ${OPEN} AND due_at < now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [most],
    );
  }

  /** The one whose message a turn has. */
  async findSent(attempt_id: string, turn_job_id: string): Promise<Continuation | null> {
    const [row] = await this.database.query<Continuation>(
      `SELECT ${columnsOf(Continuation, 'c')}
       FROM continuations c
       JOIN executions e ON e.id = c.execution_id
       WHERE c.attempt_id = $1 AND c.state = 'sent' AND e.job_id = $2`,
      [attempt_id, turn_job_id],
    );
    return row ?? null;
  }

  /** The newest turn of an agent, whose conversation goes on. */
  async findAgentTurn(
    attempt_id: string,
  ): Promise<Pick<Continuation, 'session_id' | 'variant' | 'timeout_secs'> | null> {
    const [row] = await this.database.query<Pick<Continuation, 'session_id' | 'variant' | 'timeout_secs'>>(
      `SELECT session_id, variant, timeout_secs
       FROM executions
       WHERE attempt_id = $1 AND run_reason = 'codingagent' ORDER BY number DESC LIMIT 1`,
      [attempt_id],
    );
    return row ?? null;
  }

  /** How often a cause has been gone on from, since somebody last sent a message. */
  countRounds(attempt_id: string, cause: ContinuationCause): Promise<number> {
    return this.database.manager.countBy(Continuation, { attempt_id, cause, is_past: false, idle: 0 });
  }

  /** What changes with its state. */
  async set(
    _tx: Transaction,
    id: string,
    change: Partial<Pick<Continuation, 'state' | 'reason' | 'job_id' | 'execution_id'>>,
  ): Promise<void> {
    await this.database.manager.update(Continuation, { id }, { ...change, updated_at: () => 'now()' });
  }

  /** They count no more. */
  async setPast(_tx: Transaction, attempt_id: string, causes: readonly ContinuationCause[]): Promise<void> {
    await this.database.query(
      'UPDATE continuations SET is_past = true WHERE attempt_id = $1 AND cause = ANY($2) AND NOT is_past',
      [attempt_id, causes],
    );
  }
}
