import type { Environment } from '../../config/environment.js';
import type { RunnerLease } from '../cluster/runner-lease.js';
import type { Database, Transaction } from '../database/database.js';
import { currentTraceparent } from '../telemetry/scope.js';
import type { LeasedJob, LostTurn, NewTurn } from './turn-queue.js';
import * as sql from './turn-jobs.sql.js';

/** A share that another claim has just emptied is not the end of the queue. */
const TRIES = 3;

export type QueueLimits = Pick<
  Environment,
  'MAX_CONCURRENT_PER_PROJECT' | 'MAX_CONCURRENT_PER_EXECUTOR' | 'RUNNER_LOST_SECS'
>;
export type Holder = Pick<RunnerLease, 'id' | 'incarnation' | 'available' | 'lease' | 'lost'>;
type Claimed = { job_id: string | null; attempt_id: string; traceparent: string | null; tag: string };

/** The rows of the queue of turns. The lease of a turn is that of the process which took it. */
export class TurnJobs {
  /** Taken here and not let go of. */
  private readonly held = new Map<string, LeasedJob>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly holder: Holder,
    private readonly limits: QueueLimits,
  ) {}

  async enqueue(_tx: Transaction, { job_id, attempt_id, project_id, executor }: NewTurn): Promise<void> {
    const trace = currentTraceparent() ?? null;
    const { RUNNER_LOST_SECS } = this.limits;
    await this.database.query(sql.ENQUEUE, [job_id, attempt_id, project_id, executor, trace, RUNNER_LOST_SECS]);
  }

  async settle(job_id: string): Promise<void> {
    await this.database.query(sql.SETTLE, [job_id]);
  }

  /** At most `count` turns for this runner; fewer mean that no more are ready. */
  claim(count: number): Promise<LeasedJob[]> {
    return this.oneByOne(async () => {
      const jobs: LeasedJob[] = [];
      while (jobs.length < count) {
        const job = await this.claimNext().catch((error: unknown) => {
          if (jobs.length === 0) throw error;
          return null; // what is taken is worked on; the next claim meets the fault again
        });
        if (job === null) break;
        jobs.push(job);
      }
      return jobs;
    });
  }

  /** For whoever takes it next. */
  async giveBack(job_id: string, incarnation: string): Promise<void> {
    await this.database.query(sql.GIVE_BACK, [job_id, incarnation]);
  }

  /** A claim may be done and its answer be lost with the connection: nobody would ever work on such a turn.
   *  @returns whether there was one */
  giveBackUnheard(): Promise<boolean> {
    return this.oneByOne(async () => {
      const { id, incarnation } = this.holder;
      return (await this.database.affected(sql.GIVE_BACK_UNHEARD, [id, incarnation, [...this.held.keys()]])) > 0;
    });
  }

  /** Nobody works on it here any more; it may have been taken here again by now. */
  letGo(job: LeasedJob): void {
    if (this.held.get(job.id) === job) this.held.delete(job.id);
  }

  listLost(): Promise<LostTurn[]> {
    return this.database.query<LostTurn>(sql.LIST_LOST);
  }

  /** @returns whether any turn has become free to go elsewhere */
  async freeHomeless(): Promise<boolean> {
    return (await this.database.affected(sql.FREE, [this.limits.RUNNER_LOST_SECS])) > 0;
  }

  /** Whoever looks for turns that nobody has heard of must not meet a claim under way. */
  private oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async claimNext(): Promise<LeasedJob | null> {
    for (let left = TRIES; left > 0 && !this.holder.lease.aborted; left -= 1) {
      const claimed = await this.claimOnce();
      if (claimed === null) return null;
      if (claimed.job_id !== null) return this.leased(claimed.job_id, claimed);
    }
    return null;
  }

  /** One statement, which is a transaction by itself, unless executors have caps: those are counted before. */
  private claimOnce(): Promise<Claimed | null> {
    const { available } = this.holder;
    if (Object.keys(this.limits.MAX_CONCURRENT_PER_EXECUTOR).length === 0) return this.claimAmong(available);
    return this.database.transaction(async () => this.claimAmong(await this.withRoom(available)));
  }

  private async claimAmong(executors: string[]): Promise<Claimed | null> {
    if (executors.length === 0) return null;
    const { id, incarnation } = this.holder;
    const cap = this.limits.MAX_CONCURRENT_PER_PROJECT;
    const [claimed] = await this.database.query<Claimed>(sql.CLAIM, [id, incarnation, executors, cap]);
    return claimed ?? null;
  }

  private async withRoom(executors: string[]): Promise<string[]> {
    const caps = this.limits.MAX_CONCURRENT_PER_EXECUTOR;
    await this.database.query(sql.LOCK_CAPS);
    const taken = await this.database.query<{ executor: string; running: number }>(sql.COUNT_TAKEN);
    const running = new Map(taken.map((row) => [row.executor, row.running]));
    return executors.filter((name) => (running.get(name) ?? 0) < (caps[name] ?? Infinity));
  }

  private leased(id: string, { attempt_id, traceparent, tag }: Claimed): LeasedJob {
    const { incarnation, lease } = this.holder;
    // only order depends on how far the queue has come
    this.database.query(sql.PASS_TIME, [tag]).catch(() => undefined);
    const job: LeasedJob = {
      id,
      data: { attempt_id, traceparent: traceparent ?? undefined },
      lost: lease,
      incarnation,
      isHeld: async () => (await this.database.query(sql.IS_HELD, [id, incarnation])).length > 0,
    };
    this.held.set(id, job);
    return job;
  }
}
