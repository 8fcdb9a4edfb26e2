import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { localOwner } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import type { LeasedJob } from '../cluster/turn-claims.js';
import { TurnQueue } from '../cluster/turn-queue.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { slots } from '../platform/telemetry/metrics.js';
import { inScope } from '../platform/telemetry/scope.js';
import { ActiveTurns } from '../turns/active-turns.js';
import { TurnsService } from '../turns/turns.service.js';
import { ExecutionRunner } from './execution-runner.js';
import { OneAttempt } from './one-attempt.js';
import { retryUntilAvailable } from './retry-until-available.js';
import type { FinishedExecution } from './saved-work.js';

const LOOK_EVERY_MS = 100;

/** Takes turns from the queue and runs each, one execution after another under one lease. */
@Injectable()
export class TurnWorker implements BeforeApplicationShutdown {
  private working = 0;

  constructor(
    private readonly queue: TurnQueue,
    private readonly runner: RunnerLease,
    private readonly pool: ProcessPool,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly turns: TurnsService,
    private readonly activeTurns: ActiveTurns,
    private readonly executions: ExecutionRunner,
    private readonly life: OneAttempt,
  ) {}

  start(places: number): void {
    slots.set({ state: 'busy' }, 0);
    slots.set({ state: 'free' }, places);
    if (places > 0) this.queue.takeTurns((job) => this.work(job), places);
    this.life.begin();
  }

  /** Takes no more turns, and waits for running ones; a shutdown interrupts the rest. Meanwhile the process serves and
   *  renews its lease. */
  async drain(withinMs: number): Promise<void> {
    if (withinMs === 0) return;
    this.queue.takeNoMore();
    await this.runner.drain().catch(() => undefined); // then others only notice when the lease ends
    const deadline = performance.now() + withinMs;
    while (this.working > 0 && performance.now() < deadline) await delay(LOOK_EVERY_MS);
  }

  /** Turns are ended and recorded while there are still connections. */
  async beforeApplicationShutdown(): Promise<void> {
    this.activeTurns.interruptAll();
    await this.pool.beforeApplicationShutdown();
    await this.queue.stop();
  }

  private async work(job: LeasedJob): Promise<void> {
    const { attempt_id, traceparent } = job;
    const ids = () => ({ job_id: job.id, attempt_id, runner_id: this.runner.id });
    this.occupy(1);
    this.life.took(attempt_id);
    try {
      await inScope('turn', ids, { kind: SpanKind.CONSUMER, traceparent }, () => this.workOff(job));
    } finally {
      this.occupy(-1);
      this.life.rested();
    }
  }

  private occupy(change: 1 | -1): void {
    this.working += change;
    slots.inc({ state: 'busy' }, change);
    slots.dec({ state: 'free' }, change);
  }

  private async workOff(job: LeasedJob): Promise<void> {
    let execution = await retryUntilAvailable(job.lost, () => this.take(job));
    while (execution !== null) execution = await this.workThrough(execution, job);
  }

  /** Under the lock of the attempt, so that a turn is either taken or withdrawn, and never taken without the lease. */
  private take(job: LeasedJob): Promise<TurnExecution | null> {
    return this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, localOwner, job.attempt_id);
      return (await job.isHeld()) ? this.turns.take(tx, attempt, job.id, this.runner.id) : null;
    });
  }

  /** @returns the execution that follows, or null */
  private async workThrough(execution: TurnExecution, job: LeasedJob): Promise<TurnExecution | null> {
    const finished = await this.executions.execute(execution, job);
    return finished && retryUntilAvailable(job.lost, () => this.end(execution, finished, job));
  }

  /** Without the lease nothing is written. */
  private end(
    execution: TurnExecution,
    { end, ending, keep }: FinishedExecution,
    job: LeasedJob,
  ): Promise<TurnExecution | null> {
    return this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, localOwner, execution.attempt_id);
      if (!(await job.isHeld())) return null;
      await keep(tx);
      return this.turns.end(tx, attempt, execution, end, ending);
    });
  }
}
