import type { Environment } from '../config/environment.js';
import type { Database } from '../platform/database/database.js';
import type { RunnerLease } from './runner-lease.js';
import * as sql from './turn-jobs.sql.js';

/** Tries, because another claim may just have emptied a share. */
const TRIES = 3;

export type QueueLimits = Pick<
  Environment,
  'MAX_CONCURRENT_PER_PROJECT' | 'MAX_CONCURRENT_PER_EXECUTOR' | 'RUNNER_LOST_SECS' | 'WORKSPACE_STORE'
>;
export type Holder = Pick<
  RunnerLease,
  'id' | 'incarnation' | 'available' | 'labels' | 'isOfOneAttempt' | 'lost' | 'replaced'
>;
type Claimed = { job_id: string | null; attempt_id: string; traceparent: string | null; tag: string };

/** A turn as taken by one incarnation of a runner; job and incarnation together fence everything it writes. */
export interface TakenTurn {
  job_id: string;
  attempt_id: string;
  incarnation: string;
}

/** A turn's job, taken by this process. The lease of the process is the only lease of the turn. */
export interface LeasedJob {
  id: string;
  attempt_id: string;
  /** Trace of the call that started the turn. */
  traceparent?: string;
  /** The incarnation of the process that took it. */
  incarnation: string;
  /** Aborts when the lease is lost: whatever runs under it must die. */
  lost: AbortSignal;
  /** Asks the database, because the clock of this process may have stood still. In a transaction the answer holds until
   *  its end and fences what is written. */
  isHeld(): Promise<boolean>;
}

/** The turns that this process takes from the queue. */
export class TurnClaims {
  /** Turns taken here and not yet let go. */
  private readonly held = new Map<string, LeasedJob>();
  private hasTaken = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly holder: Holder,
    private readonly limits: QueueLimits,
  ) {}

  /** At most `count` turns for this runner; fewer mean that no more are ready. */
  claim(count: number): Promise<LeasedJob[]> {
    return this.oneByOne(async () => {
      const jobs: LeasedJob[] = [];
      while (jobs.length < count) {
        const job = await this.claimNext().catch((error: unknown) => {
          if (jobs.length === 0) throw error;
          return null; // turns already taken are worked on; the next claim meets the fault again
        });
        if (job === null) break;
        jobs.push(job);
      }
      return jobs;
    });
  }

  /** Returns a turn to the queue. */
  async giveBack({ job_id, incarnation }: TakenTurn): Promise<void> {
    await this.database.query(sql.GIVE_BACK, [job_id, incarnation]);
  }

  /** Returns a turn whose claim was committed but whose answer was lost, which nobody would work on. @returns whether
   *  there was one */
  giveBackUnheard(): Promise<boolean> {
    return this.oneByOne(async () => {
      const { id, incarnation } = this.holder;
      return (await this.database.affected(sql.GIVE_BACK_UNHEARD, [id, incarnation, [...this.held.keys()]])) > 0;
    });
  }

  /** It is no longer worked on here, though it may have been taken here again. */
  letGo(job: LeasedJob): void {
    if (this.held.get(job.id) === job) this.held.delete(job.id);
  }

  /** Claims and the search for lost claims exclude each other. */
  private oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async claimNext(): Promise<LeasedJob | null> {
    const { incarnation, lost } = this.holder; // may be another incarnation when the answer arrives
    for (let left = TRIES; left > 0 && !lost.aborted; left -= 1) {
      const claimed = await this.claimOnce(incarnation);
      if (claimed === null) return null;
      if (claimed.job_id !== null) return this.leased(claimed.job_id, claimed, { incarnation, lost });
    }
    return null;
  }

  /** A single statement, unless executors have caps, which are counted first. */
  private claimOnce(incarnation: string): Promise<Claimed | null> {
    const { available } = this.holder;
    if (Object.keys(this.limits.MAX_CONCURRENT_PER_EXECUTOR).length === 0)
      return this.claimAmong(incarnation, available);
    return this.database.transaction(async () => this.claimAmong(incarnation, await this.withRoom(available)));
  }

  private async claimAmong(incarnation: string, executors: string[]): Promise<Claimed | null> {
    if (executors.length === 0) return null;
    const { id, labels, isOfOneAttempt } = this.holder;
    const homes = isOfOneAttempt && this.hasTaken ? [id] : ['', id];
    const values = [id, incarnation, executors, this.limits.MAX_CONCURRENT_PER_PROJECT, labels, homes];
    const [claimed] = await this.database.query<Claimed>(sql.CLAIM, values);
    return claimed ?? null;
  }

  private async withRoom(executors: string[]): Promise<string[]> {
    const caps = this.limits.MAX_CONCURRENT_PER_EXECUTOR;
    await this.database.query(sql.LOCK_CAPS);
    const taken = await this.database.query<{ executor: string; running: number }>(sql.COUNT_TAKEN);
    const running = new Map(taken.map((row) => [row.executor, row.running]));
    return executors.filter((name) => (running.get(name) ?? 0) < (caps[name] ?? Infinity));
  }

  private leased(
    id: string,
    { attempt_id, traceparent, tag }: Claimed,
    { incarnation, lost }: Pick<LeasedJob, 'incarnation' | 'lost'>,
  ): LeasedJob {
    // only order depends on how far the queue has come
    this.database.query(sql.PASS_TIME, [tag]).catch(() => undefined);
    const job: LeasedJob = {
      id,
      attempt_id,
      traceparent: traceparent ?? undefined,
      incarnation,
      lost,
      isHeld: async () => (await this.database.query(sql.IS_HELD, [id, incarnation])).length > 0,
    };
    this.held.set(id, job);
    this.hasTaken = true;
    return job;
  }
}
