import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { TurnQueue } from '../cluster/turn-queue.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Clock } from '../platform/context/clock.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { TurnsService } from '../turns/turns.service.js';
import { SavedWork } from './saved-work.js';

const TRY_AGAIN_SECS = 2;

/** The life of a runner that serves one attempt (RUNNER_LIFE=attempt): it ends by itself if nothing came, or once its
 *  attempt has rested for a while. What counts is the end of a turn: one that says nothing, or waits for a person, is
 *  no rest. */
@Injectable()
export class OneAttempt implements OnApplicationShutdown {
  private readonly logger = new Logger(OneAttempt.name);
  private readonly clock = new Clock();
  private attempt_id: string | null = null;
  private isLeaving = false;
  private cancel: () => void = () => undefined;
  private endProcess: () => void = () => undefined;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly queue: TurnQueue,
    private readonly lease: RunnerLease,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
    private readonly saved: SavedWork,
  ) {}

  onApplicationShutdown(): void {
    this.cancel();
  }

  /** @param endProcess called when this runner has left and nothing is to be done any more */
  whenOver(endProcess: () => void): void {
    this.endProcess = endProcess;
  }

  /** Turns are taken from now on. */
  begin(): void {
    this.endAfter(this.environment.RUNNER_UNUSED_SECS);
  }

  took(attempt_id: string): void {
    this.cancel();
    this.attempt_id = attempt_id;
  }

  rested(): void {
    this.endAfter(this.environment.RUNNER_IDLE_SECS);
  }

  /** Leaves if nothing runs here. May be called again. */
  async leave(): Promise<void> {
    if (this.environment.RUNNER_LIFE !== 'attempt') return;
    if (this.attempt_id === null) this.takeNoMore();
    else await this.leaveAttempt(this.attempt_id);
    if (this.isLeaving) await this.lease.leave();
  }

  private endAfter(secs: number): void {
    if (this.environment.RUNNER_LIFE !== 'attempt' || this.isLeaving) return;
    this.cancel();
    this.cancel = this.clock.after(secs * 1_000, () => void this.end());
  }

  private async end(): Promise<void> {
    await this.leave();
    if (this.isLeaving) this.endProcess();
    else this.endAfter(TRY_AGAIN_SECS);
  }

  /** All under the lock of the attempt, and while nothing of it can be delivered: a message comes before, and is worked
   *  on here, or after, and goes to another runner. */
  private async leaveAttempt(attempt_id: string): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        const attempt = await this.lockHere(tx, attempt_id);
        if (attempt !== null && !(await this.rests(tx, attempt))) return;
        this.takeNoMore();
        await this.lease.drain().catch(() => undefined); // then others only notice that it has left
        if (attempt !== null) await this.saved.keepResting(tx, await this.attempts.workspace(attempt));
        await this.lease.leave();
      });
    } catch (error) {
      this.logger.warn({ err: error, attempt_id }, 'the end of this runner met a fault');
    }
  }

  /** Null if its worktrees are not here, or its task was deleted. */
  private async lockHere(tx: Transaction, attempt_id: string): Promise<Attempt | null> {
    try {
      const attempt = await this.attemptRows.lock(tx, localOwner, attempt_id);
      return attempt.runner_id === this.lease.id ? attempt : null;
    } catch (error) {
      if (error instanceof AppError && error.code === 'attempt_not_found') return null;
      throw error;
    }
  }

  private async rests(tx: Transaction, { id }: Attempt): Promise<boolean> {
    return (await this.executionRows.findLive(id)) === null && (await this.turns.mayBegin(tx, id));
  }

  /** What is claimed at this moment is given back. There is no way back. */
  private takeNoMore(): void {
    this.isLeaving = true;
    this.queue.takeNoMore();
  }
}
