import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { type ActiveJob, Jobs } from '../cluster/jobs.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { TurnAuthors } from '../turns/turn-authors.js';
import { TurnsService } from '../turns/turns.service.js';
import type { Continuation } from './continuation.entity.js';
import { ContinuationTrace } from './continuation-trace.js';
import { ContinuationsRepository } from './continuations.repository.js';

/** What is in its way may be gone by then. */
const ASK_AGAIN_SECS = 5;
/** After so many turns in which the agent did nothing, its conversation is taken to be broken. */
export const FRESH_AFTER_IDLE = 2;
const GONE = 'its author is not on record any more';

/** The clock of one that is due. */
type FiredJob = Pick<ActiveJob, 'id' | 'complete'>;

/** Sends what is due: its turn begins in the transaction that ends its job, so that it is sent once, whatever dies. */
@Injectable()
export class ContinuationFiring {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly executors: ExecutorCatalogue,
    private readonly rows: ContinuationsRepository,
    private readonly authors: TurnAuthors,
    private readonly turns: TurnsService,
    private readonly trace: ContinuationTrace,
  ) {}

  async fire(job: FiredJob): Promise<void> {
    const due = await this.rows.findByJob(job.id);
    if (due === null) return;
    try {
      await this.database.transaction((tx) => this.send(tx, due.attempt_id, job));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await this.database.transaction((tx) => this.refused(tx, due.attempt_id, job, error));
    }
  }

  /** What is due and has no job any more gets another one. */
  async sendAgain(most: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const overdue = await this.rows.lockOverdue(tx, most);
      const open = await this.jobs.listOpen(
        'continuations',
        overdue.map(({ job_id }) => job_id),
      );
      const left = overdue.filter(({ job_id }) => !open.includes(job_id));
      for (const row of left) await this.setClock(tx, row, 0);
      return left.length;
    });
  }

  /** @throws AppError session_busy, and what a turn of its author may be refused for */
  private async send(tx: Transaction, attempt_id: string, job: FiredJob): Promise<void> {
    const author = await this.authors.find(attempt_id);
    if (author === null) throw new AppError('forbidden', { reason: GONE });
    const mayRun = withRight(author, rightOf({ scope: 'execute' }));
    const attempt = await this.attemptRows.lock(tx, mayRun, attempt_id);
    const due = await this.rows.lockByJob(tx, job.id);
    await job.complete(tx);
    if (due === null) return;
    if (due.task_status === 'done' || due.task_status === 'cancelled')
      return this.end(tx, due, 'dropped', 'the task is closed');
    if ((await this.executionRows.findLive(attempt_id)) !== null) throw new AppError('session_busy', { attempt_id });
    await this.begin(tx, attempt, due, author);
  }

  private async begin(tx: Transaction, attempt: Attempt, due: Continuation, author: Principal): Promise<void> {
    const session = await this.sessionFor(tx, due);
    const { prompt, is_task_text, variant, timeout_secs } = due;
    await this.executors.chooseVariant(session.executor, variant ?? undefined);
    const message = { prompt, is_task_text, variant, timeout_secs };
    const execution = await this.turns.start(tx, attempt, session, message, author);
    await this.rows.set(tx, due.id, { state: 'sent', reason: null, execution_id: execution.id });
    await this.trace.sent(tx, due);
  }

  private async sessionFor(tx: Transaction, due: Continuation): Promise<Pick<Session, 'id' | 'executor'>> {
    const { attempt_id, project_id, executor } = await this.sessionRows.get(
      asActor('@taskyard', 'system'),
      due.session_id,
    );
    if (due.idle < FRESH_AFTER_IDLE) return { id: due.session_id, executor };
    const place = { id: newId(), attempt_id, project_id, agent_session_id: null };
    const fresh = { ...place, role: 'author', executor, variant: due.variant } as const;
    await this.sessionRows.insert(tx, fresh);
    return fresh;
  }

  /** Waits for what is in its way; what will not go away by itself is for a person. */
  private async refused(tx: Transaction, attempt_id: string, job: FiredJob, error: AppError): Promise<void> {
    const isDeleted = error.code === 'attempt_not_found' || error.code === 'task_not_found';
    if (!isDeleted) await this.attemptRows.lock(tx, asActor('@taskyard', 'system'), attempt_id);
    const due = await this.rows.lockByJob(tx, job.id);
    await job.complete(tx);
    if (due === null) return;
    if (isDeleted) return this.end(tx, due, 'dropped', 'the task was deleted');
    if (!error.row.retryable) return this.end(tx, due, 'exhausted', error.message);
    await this.setClock(tx, due, ASK_AGAIN_SECS);
    if (due.state === 'queued' && due.reason === error.message) return;
    await this.rows.set(tx, due.id, { state: 'queued', reason: error.message });
    await this.trace.waits(tx, due, error.message);
  }

  private async end(tx: Transaction, due: Continuation, state: 'dropped' | 'exhausted', reason: string): Promise<void> {
    await this.rows.set(tx, due.id, { state, reason });
    await this.trace[state](tx, due, reason, asActor('@taskyard', 'system'));
  }

  private async setClock(tx: Transaction, due: Continuation, startAfter: number): Promise<void> {
    const job_id = newId();
    await this.rows.set(tx, due.id, { job_id });
    await this.jobs.send(tx, { kind: 'continuations', id: job_id, data: { continuation_id: due.id }, startAfter });
  }
}
