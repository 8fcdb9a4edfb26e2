import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { Jobs } from '../cluster/jobs.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { listedText, pageLimit } from '../platform/fields/paging.js';
import { TurnAuthors } from '../turns/turn-authors.js';
import type { AttemptOfTurn, Message } from '../turns/turn-executions.js';
import type {
  ContinuationOutput,
  ContinuationTarget,
  ListContinuationsInput,
  ListContinuationsOutput,
} from './continuation.dto.js';
import { type Continuation, type ContinuationCause, continuationCauses } from './continuation.entity.js';
import { ContinuationTrace } from './continuation-trace.js';
import { ContinuationsRepository } from './continuations.repository.js';

/** One more message, for a cause that was seen. */
export interface PlannedMessage {
  attempt: AttemptOfTurn;
  session_id: string;
  cause: ContinuationCause;
  cause_key: string;
  round: number;
  /** Turns with this message in which the agent did nothing. */
  idle?: number;
  delay_secs: number;
  message: Message;
}

const NOBODY = 'nobody is on record in whose name it could go on';

/** Messages that the server sends by itself: planned in the transaction that sees the cause, under the lock of the
 *  attempt. The row is the truth, its job the clock. */
@Injectable()
export class ContinuationsService {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly attemptRows: AttemptsRepository,
    private readonly rows: ContinuationsRepository,
    private readonly authors: TurnAuthors,
    private readonly trace: ContinuationTrace,
  ) {}

  /** @returns false if its cause was seen before */
  async plan(tx: Transaction, planned: PlannedMessage): Promise<boolean> {
    const author = await this.authors.find(planned.attempt.id);
    if (author === null) return this.exhaust(tx, planned, NOBODY);
    const row = await this.rows.insert(tx, { ...rowOf(planned), state: 'due', reason: null });
    if (row === null) return false;
    await this.jobs.send(tx, {
      kind: 'continuations',
      id: row.job_id,
      data: { continuation_id: row.id },
      startAfter: Math.ceil(planned.delay_secs),
    });
    await this.trace.planned(tx, row, author);
    return true;
  }

  /** Instead of another round a person is asked. @returns false if its cause was seen before */
  async exhaust(tx: Transaction, planned: PlannedMessage, reason: string): Promise<boolean> {
    const row = await this.rows.insert(tx, { ...rowOf(planned), state: 'exhausted', reason });
    if (row !== null) await this.trace.exhausted(tx, row, reason, server);
    return row !== null;
  }

  /** What is due is not sent, and its job goes with it. */
  async dropDue(tx: Transaction, attempt_id: string, reason: string, principal: Principal): Promise<void> {
    await this.drop(tx, await this.rows.listOpen(attempt_id), reason, principal);
  }

  /** Somebody took over: what is due is dropped, and all rounds are counted anew. */
  async takenOver(tx: Transaction, attempt_id: string, principal: Principal): Promise<void> {
    await this.dropDue(tx, attempt_id, 'somebody sent a message', principal);
    await this.rows.setPast(tx, attempt_id, continuationCauses);
  }

  /** @throws AppError attempt_not_found */
  async list(input: ListContinuationsInput, principal: Principal): Promise<ListContinuationsOutput> {
    const { attempt_id, limit, cursor } = input;
    await this.attemptRows.requireVisible(principal, attempt_id);
    const { rows, ...page } = await this.rows.list(attempt_id, pageLimit(limit), cursor);
    return { attempt_id, ...page, continuations: rows.map(toOutput) };
  }

  /** @throws AppError attempt_not_found, forbidden, continuation_gone */
  async stop({ attempt_id, continuation_id }: ContinuationTarget, principal: Principal) {
    await this.database.transaction(async (tx) => {
      requireMade(principal, await this.attemptRows.lock(tx, principal, attempt_id));
      const due = (await this.rows.listOpen(attempt_id)).filter(({ id }) => id === continuation_id);
      if (due.length === 0) throw new AppError('continuation_gone', { attempt_id, continuation_id });
      await this.drop(tx, due, 'it was stopped', principal);
    });
    return this.list({ attempt_id }, principal);
  }

  private async drop(tx: Transaction, due: Continuation[], reason: string, principal: Principal): Promise<void> {
    for (const row of due) {
      await this.rows.set(tx, row.id, { state: 'dropped', reason });
      await this.trace.dropped(tx, row, reason, principal);
    }
    const jobs = due.map(({ job_id }) => job_id);
    await this.jobs.cancel(tx, 'continuations', jobs);
  }
}

const server = asActor('@taskyard', 'system');

const rowOf = ({ attempt, message, idle = 0, ...planned }: PlannedMessage) => ({
  ...planned,
  ...message,
  id: newId(),
  job_id: newId(),
  attempt_id: attempt.id,
  project_id: attempt.project_id,
  task_id: attempt.task_id,
  prompt: message.prompt ?? '',
  idle,
});

const toOutput = (row: Continuation): ContinuationOutput => ({
  continuation_id: row.id,
  session_id: row.session_id,
  cause: row.cause,
  round: row.round,
  state: row.state,
  due_at: row.due_at.toISOString(),
  reason: row.reason,
  prompt: listedText(row.prompt),
  execution_process_id: row.execution_id,
  created_at: row.created_at.toISOString(),
});
