import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../platform/context/clock.js';
import type { ChangeHub } from '../platform/database/change-hub.js';
import type { Database, Transaction } from '../platform/database/database.js';
import { currentTraceparent } from '../platform/telemetry/scope.js';
import { JobLoop } from './job-loop.js';
import { TURNS } from './runner-entry.js';
import { type Holder, type LeasedJob, type QueueLimits, type TakenTurn, TurnClaims } from './turn-claims.js';
import * as sql from './turn-jobs.sql.js';

/** Interrupted turns get 10 s to end, and as long to be recorded. */
const STOP_WITHIN_MS = 20_000;
/** Turns follow nudges; the poll only catches lost ones. */
const POLL_MS = 2_000;
/** A lease lives for ten seconds anyway. */
const LOOK_FOR_LOST_EVERY_MS = 2_000;

/** @param project_id whose share of the places the turn takes
 *  @param executor which its runner must have
 *  @param labels which its runner must have, sorted
 *  @param home the runner that holds the worktrees, null where any may take it
 *  @param priority higher ones of the same project come first */
export interface NewTurn {
  job_id: string;
  attempt_id: string;
  project_id: string;
  executor: string;
  labels: string[];
  home: string | null;
  priority: number;
}

/** The queue of turns: rows of the same PostgreSQL as the records, so that fairness, caps, homes and executors are one
 *  claim under one lock. */
export class TurnQueue implements OnModuleDestroy {
  private readonly logger = new Logger(TurnQueue.name);
  private readonly claims: TurnClaims;
  private readonly hasCaps: boolean;
  private loop: Pick<JobLoop<unknown>, 'stop' | 'end'> | null = null;
  private endLooking: (() => void) | null = null;
  private looking: Promise<void> | null = null;
  /** Taken here, but their handler gave up: nobody works on them although this process lives. */
  private readonly dropped = new Map<TakenTurn, LeasedJob>();
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly holder: Holder,
    private readonly limits: QueueLimits,
    private readonly clock = new Clock(),
  ) {
    this.claims = new TurnClaims(database, holder, limits);
    this.hasCaps = limits.MAX_CONCURRENT_PER_PROJECT > 0 || Object.keys(limits.MAX_CONCURRENT_PER_EXECUTOR).length > 0;
    holder.replaced.addEventListener('abort', () => this.takeNoMore());
  }

  /** FIFO within project and priority; projects share fairly. */
  async enqueue(_tx: Transaction, turn: NewTurn): Promise<void> {
    const { job_id, attempt_id, project_id, executor, labels, home, priority } = turn;
    const trace = currentTraceparent() ?? null;
    const values = [job_id, attempt_id, project_id, executor, trace, home, ...this.homes, priority, labels];
    await this.database.query(sql.ENQUEUE, values);
    this.hub.changed(TURNS);
  }

  /** The turn is over, whatever its state. With caps, its end may make room for a turn on another runner. */
  async settle(tx: Transaction, job_id: string): Promise<void> {
    await this.database.query(sql.SETTLE, [job_id, null]);
    if (this.hasCaps) await this.hub.announce(tx, TURNS);
  }

  /** A turn that was taken but not begun waits again. */
  async giveBack(_tx: Transaction, turn: TakenTurn): Promise<void> {
    await this.claims.giveBack(turn);
    this.hub.changed(TURNS);
  }

  /** Its runner is gone, and another one goes on with it. */
  async requeue(_tx: Transaction, job_id: string): Promise<void> {
    await this.database.query(sql.REQUEUE, [job_id]);
    this.hub.changed(TURNS);
  }

  /** Whether that incarnation still has the turn; the answer holds until the end of the transaction. */
  async lock(_tx: Transaction, { job_id, incarnation }: TakenTurn): Promise<boolean> {
    return (await this.database.query(sql.LOCK, [job_id, incarnation])).length > 0;
  }

  /** Hands out turns, at most `places` at a time. */
  takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): void {
    if (this.holder.replaced.aborted) return;
    const source = {
      fetch: (count: number) => this.claims.claim(count),
      handle: (job: LeasedJob) => this.work(job, handler),
      giveBack: (job: LeasedJob) => this.giveUp(job),
      onFault: (error: unknown) => this.logger.warn(`queue of turns: ${(error as Error).message}`),
    };
    this.loop = new JobLoop(source, this.hub.subscribe(TURNS), places, POLL_MS, this.clock);
  }

  /** Turns whose runner lost its lease, looked for every 2 s. What the handler leaves is handed out again. */
  onLostTurn(handler: (turn: TakenTurn) => Promise<void>): void {
    this.endLooking = this.clock.every(LOOK_FOR_LOST_EVERY_MS, () => {
      this.looking ??= this.endLost(handler).finally(() => (this.looking = null));
    });
  }

  /** Comes before all else of a shutdown: the place of a turn that is interrupted is given to no other. */
  onModuleDestroy(): void {
    this.takeNoMore();
  }

  /** Those that run go on. */
  takeNoMore(): void {
    this.loop?.end();
  }

  /** Takes no more turns and waits, at most 20 s, for those that run or are being ended. May be called again. */
  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  /** Without lease nothing more is written: whoever looks for lost turns ends what is left. */
  private async work(job: LeasedJob, handler: (job: LeasedJob) => Promise<void>): Promise<void> {
    try {
      await handler(job);
      // it may have been withdrawn, or be another runner's by now
      if (!job.lost.aborted) await this.database.query(sql.SETTLE, [job.id, job.incarnation]);
      this.claims.letGo(job);
    } catch (error) {
      this.logger.warn({ err: error as Error, job_id: job.id }, 'a turn was dropped');
      this.dropped.set(takenAs(job), job);
    }
  }

  /** One that cannot be ended must not keep the others from it. */
  private async endLost(handler: (turn: TakenTurn) => Promise<void>): Promise<void> {
    try {
      for (const turn of [...this.dropped.keys(), ...(await this.listLost())]) {
        await handler(turn).then(
          () => this.ended(turn),
          (error: unknown) => this.logger.error({ err: error, ...turn }, 'a lost turn could not be ended'),
        );
      }
      const hasFreed = (await this.database.affected(sql.FREE, this.homes)) > 0;
      const hasUnheard = this.loop !== null && (await this.claims.giveBackUnheard());
      if (hasFreed || hasUnheard) this.hub.changed(TURNS);
    } catch (error) {
      this.logger.warn(`looking for lost turns: ${(error as Error).message}`);
    }
  }

  /** What decides whether a runner is the home of a turn. */
  private get homes(): [lostSecs: number, isSaved: boolean] {
    return [this.limits.RUNNER_LOST_SECS, this.limits.WORKSPACE_STORE !== 'none'];
  }

  private listLost(): Promise<TakenTurn[]> {
    return this.database.query<TakenTurn>(sql.LIST_LOST);
  }

  private ended(turn: TakenTurn): void {
    const job = this.dropped.get(turn);
    if (job === undefined) return;
    this.dropped.delete(turn);
    this.claims.letGo(job);
  }

  private async giveUp(job: LeasedJob): Promise<void> {
    this.claims.letGo(job);
    await this.claims.giveBack(takenAs(job));
    this.hub.changed(TURNS);
  }

  private async end(): Promise<void> {
    this.endLooking?.();
    const isOver = new AbortController();
    const timeout = delay(STOP_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined); // aborted below
    await Promise.race([Promise.all([this.loop?.stop(), this.looking]), timeout]);
    isOver.abort();
  }
}

const takenAs = ({ id: job_id, attempt_id, incarnation }: LeasedJob): TakenTurn => ({
  job_id,
  attempt_id,
  incarnation,
});
