import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ChangeHub } from '../database/change-hub.js';
import type { Database, Transaction } from '../database/database.js';
import { HousekeepingQueue } from './housekeeping-queue.js';
import { JobLoop } from './job-loop.js';
import { type Holder, type QueueLimits, TurnJobs } from './turn-jobs.js';
import type { HousekeepingHandlers, HousekeepingJob, LeasedJob, LostTurn, NewTurn, TurnQueue } from './turn-queue.js';

/** Turns that were interrupted are given 10 s to end and as many to be written down. */
const STOP_WITHIN_MS = 20_000;
/** Turns follow nudges; the poll only catches what a lost one missed. */
export const POLL_MS = 2_000;
/** A lease lives for ten seconds anyway. */
const LOOK_FOR_LOST_EVERY_MS = 2_000;
const KEY = 'queue:turns';

/** The queue of turns: rows of the same PostgreSQL as the records, so that fairness, caps, homes and executors are one
 *  claim under one lock. Housekeeping is pg-boss's. */
export class DatabaseTurnQueue implements TurnQueue, OnModuleDestroy {
  private readonly logger = new Logger(DatabaseTurnQueue.name);
  private readonly jobs: TurnJobs;
  private readonly housekeeping: HousekeepingQueue;
  private readonly hasCaps: boolean;
  private loop: Pick<JobLoop<unknown>, 'stop' | 'end'> | null = null;
  private lookForLost: NodeJS.Timeout | null = null;
  /** Taken here, and their handler gave up: nobody works on them, though this process lives. */
  private readonly dropped = new Map<LostTurn, LeasedJob>();
  private stopping: Promise<void> | null = null;

  constructor(
    url: string,
    database: Database,
    private readonly hub: ChangeHub,
    private readonly holder: Holder,
    limits: QueueLimits,
    private readonly pollMs = POLL_MS,
  ) {
    this.jobs = new TurnJobs(database, holder, limits);
    this.housekeeping = new HousekeepingQueue(url, database, hub, pollMs);
    this.hasCaps = limits.MAX_CONCURRENT_PER_PROJECT > 0 || Object.keys(limits.MAX_CONCURRENT_PER_EXECUTOR).length > 0;
    holder.lost.addEventListener('abort', () => this.onModuleDestroy());
  }

  start(): Promise<void> {
    return this.housekeeping.start();
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  /** Comes before all else of a shutdown: the place of a turn that is interrupted is given to no other. */
  onModuleDestroy(): void {
    this.takeNoMore();
    this.housekeeping.end();
  }

  takeNoMore(): void {
    this.loop?.end();
  }

  async enqueueTurn(tx: Transaction, turn: NewTurn): Promise<void> {
    await this.jobs.enqueue(tx, turn);
    this.hub.changed(KEY);
  }

  /** Where there are caps, the end of a turn makes room for one that another runner may have a place for. */
  async settle(tx: Transaction, job_id: string): Promise<void> {
    await this.jobs.settle(job_id);
    if (this.hasCaps) await this.hub.announce(tx, KEY);
  }

  async handBack(_tx: Transaction, { job_id, incarnation }: LostTurn): Promise<void> {
    await this.jobs.giveBack(job_id, incarnation);
    this.hub.changed(KEY);
  }

  takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): void {
    if (this.holder.lost.aborted) return;
    const source = {
      fetch: (count: number) => this.jobs.claim(count),
      handle: (job: LeasedJob) => this.work(job, handler),
      giveBack: (job: LeasedJob) => this.giveBack(job),
      onFault: (error: unknown) => this.logger.warn(`queue of turns: ${(error as Error).message}`),
    };
    this.loop = new JobLoop(source, this.hub.subscribe(KEY), places, this.pollMs);
  }

  onLostTurn(handler: (turn: LostTurn) => Promise<void>): void {
    let isLooking = false;
    this.lookForLost = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void this.endLost(handler).finally(() => (isLooking = false));
    }, LOOK_FOR_LOST_EVERY_MS).unref();
  }

  async addHousekeeping(_tx: Transaction | null, job: HousekeepingJob): Promise<void> {
    await this.housekeeping.add(job);
  }

  workHousekeeping(handlers: HousekeepingHandlers): void {
    if (!this.holder.lost.aborted) this.housekeeping.work(handlers);
  }

  schedule(kind: string, cron: string): Promise<void> {
    return this.housekeeping.schedule(kind, cron);
  }

  unschedule(kind: string): Promise<void> {
    return this.housekeeping.unschedule(kind);
  }

  /** Without lease nothing more is written: whoever looks for lost turns ends what is left. */
  private async work(job: LeasedJob, handler: (job: LeasedJob) => Promise<void>): Promise<void> {
    try {
      await handler(job);
      if (!job.lost.aborted) await this.jobs.settle(job.id); // withdrawn, or another server's by now
      this.jobs.letGo(job);
    } catch (error) {
      this.logger.warn({ err: error as Error, job_id: job.id }, 'a turn was dropped');
      const { id: job_id, incarnation } = job;
      this.dropped.set({ job_id, incarnation, attempt_id: job.data.attempt_id }, job);
    }
  }

  /** One that cannot be ended must not keep the others from it. */
  private async endLost(handler: (turn: LostTurn) => Promise<void>): Promise<void> {
    try {
      for (const turn of [...this.dropped.keys(), ...(await this.jobs.listLost())]) {
        await handler(turn).then(
          () => this.ended(turn),
          (error: unknown) => this.logger.error({ err: error, ...turn }, 'a lost turn could not be ended'),
        );
      }
      const hasFreed = await this.jobs.freeHomeless();
      const hasUnheard = this.loop !== null && (await this.jobs.giveBackUnheard());
      if (hasFreed || hasUnheard) this.hub.changed(KEY);
    } catch (error) {
      this.logger.warn(`looking for lost turns: ${(error as Error).message}`);
    }
  }

  private ended(turn: LostTurn): void {
    const job = this.dropped.get(turn);
    if (job === undefined) return;
    this.dropped.delete(turn);
    this.jobs.letGo(job);
  }

  private async giveBack(job: LeasedJob): Promise<void> {
    this.jobs.letGo(job);
    await this.jobs.giveBack(job.id, job.incarnation);
    this.hub.changed(KEY);
  }

  private async end(): Promise<void> {
    if (this.lookForLost) clearInterval(this.lookForLost);
    const isOver = new AbortController();
    const timeout = delay(STOP_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined); // aborted below
    await Promise.race([Promise.allSettled([this.loop?.stop(), this.housekeeping.finished()]), timeout]);
    isOver.abort();
    await this.housekeeping.close();
  }
}
