import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { type Job, PgBoss } from 'pg-boss';
import type { ChangeHub } from '../database/change-hub.js';
import type { Database, Transaction } from '../database/database.js';
import { ANSWER_TIMEOUT_MS } from '../database/data-source.js';
import { FairTags } from './fair-tags.js';
import { HOUSEKEEPING, HOUSEKEEPING_WITHIN_SECONDS, LOST_TURNS, QUEUE_SCHEMA, TURNS } from './install-queue.js';
import { JobLoop } from './job-loop.js';
import { LeaseWatch } from '../cluster/lease-watch.js';
import type { RunnerLease } from '../cluster/runner-lease.js';
import type { HousekeepingHandlers, HousekeepingJob, LeasedJob, NewTurn, TurnQueue } from './turn-queue.js';

/** Turns that were interrupted are given 10 s to end and as many to be written down. */
const STOP_WITHIN_MS = 20_000;
const GOODBYE_MS = 2_000;
/** Jobs follow nudges; the poll only catches what a lost one missed, and what the queue makes itself: retries,
 *  schedules. */
export const POLL_MS = 2_000;
/** Each look is eight statements, and a lease lives for ten seconds anyway. */
const LOOK_FOR_LOST_EVERY_S = 2;
type TurnData = { attempt_id: string; job_id?: string };

/** The queue of turns on pg-boss, in the same PostgreSQL as the records. Jobs are fetched by loops of our own:
 *  pg-boss's workers wait between two jobs, however many are queued. */
export class PgBossTurnQueue implements TurnQueue, OnModuleDestroy {
  private readonly logger = new Logger(PgBossTurnQueue.name);
  private readonly boss: PgBoss;
  private readonly loops: Pick<JobLoop<unknown>, 'stop' | 'end'>[] = [];
  private readonly leases = new Set<LeaseWatch>();
  private readonly tags: FairTags;
  private stopping: Promise<void> | null = null;

  constructor(
    url: string,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly runner: Pick<RunnerLease, 'lost'>,
    private readonly pollMs = POLL_MS,
  ) {
    this.tags = new FairTags(database);
    const patience = {
      query_timeout: ANSWER_TIMEOUT_MS,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    }; // handed on to pg
    this.boss = new PgBoss({
      ...patience,
      connectionString: url,
      schema: QUEUE_SCHEMA,
      max: 4,
      application_name: 'taskyard-queue',
      migrate: false,
      superviseIntervalSeconds: LOOK_FOR_LOST_EVERY_S,
      monitorIntervalSeconds: LOOK_FOR_LOST_EVERY_S,
    });
    this.boss.on('error', (error) => this.logger.warn(`queue: ${error.message}`));
    runner.lost.addEventListener('abort', () => this.abandon((runner.lost.reason as Error).message));
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  /** Comes before all else of a shutdown: the place of a turn that is interrupted is given to no other. */
  onModuleDestroy(): void {
    for (const loop of this.loops) loop.end();
  }

  async enqueueTurn(tx: Transaction, { job_id, attempt_id, project_id }: NewTurn): Promise<void> {
    const priority = -(await this.tags.next(tx, project_id));
    await this.boss.send(TURNS, { attempt_id, job_id }, { id: job_id, priority, db: this.joined() });
    this.hub.changed(keyOf(TURNS));
  }

  async settle(_tx: Transaction, job_id: string): Promise<void> {
    await this.boss.complete(TURNS, job_id, null, { db: this.joined(), includeQueued: true });
  }

  takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): void {
    this.take<TurnData>(TURNS, places, (job) => this.underLease(job, handler));
  }

  onLostTurn(handler: (attempt_id: string, job_id: string) => Promise<void>): void {
    this.take<TurnData>(LOST_TURNS, 1, ({ data }) => handler(data.attempt_id, data.job_id ?? ''));
  }

  async addHousekeeping(_tx: Transaction | null, { kind, data }: HousekeepingJob): Promise<void> {
    await this.boss.send(HOUSEKEEPING, { ...data, kind }, { db: this.joined() });
    this.hub.changed(keyOf(HOUSEKEEPING));
  }

  workHousekeeping(handlers: HousekeepingHandlers): void {
    this.take<HousekeepingJob['data'] & { kind: string }>(HOUSEKEEPING, 1, async ({ data }) => {
      const handler = handlers[data.kind];
      if (!handler) throw new Error(`no housekeeping is called ${data.kind}`);
      await within(HOUSEKEEPING_WITHIN_SECONDS, handler(data));
    });
  }

  async schedule(kind: string, cron: string): Promise<void> {
    await this.boss.schedule(HOUSEKEEPING, cron, { kind }, { key: kind });
  }

  private take<Data extends object>(queue: string, places: number, handler: (job: Job<Data>) => Promise<void>): void {
    if (this.runner.lost.aborted) return;
    const source = {
      fetch: (batchSize: number) => this.fetch<Data>(queue, batchSize),
      handle: (job: Job<Data>) => this.settled(queue, job, handler),
      giveBack: (job: Job<Data>) => this.giveBack(queue, job),
      onFault: (error: unknown) => this.logger.warn(`queue ${queue}: ${(error as Error).message}`),
    };
    const loop = new JobLoop(source, this.hub.subscribe(keyOf(queue)), places, this.pollMs);
    this.loops.push(loop);
  }

  /** What is taken says how far the queue has come: turns queued from now on go behind it. */
  private async fetch<Data extends object>(queue: string, batchSize: number): Promise<Job<Data>[]> {
    const jobs = await this.boss.fetch<Data>(queue, { batchSize, includeMetadata: true });
    const tag = -Math.min(0, ...jobs.map(({ priority }) => priority));
    if (queue === TURNS && tag > 0) await this.tags.reached(tag).catch(() => undefined); // only order depends on it
    return jobs;
  }

  /** Where even the failure cannot be written, the heartbeat or the time limit of the queue ends the job. */
  private async settled<Data>(
    queue: string,
    job: Job<Data>,
    handler: (job: Job<Data>) => Promise<void>,
  ): Promise<void> {
    try {
      await handler(job);
      await this.boss.complete(queue, job);
    } catch (error) {
      this.logger.warn({ err: error as Error, job_id: job.id }, `a job of the queue ${queue} failed`);
      await this.boss.fail(queue, job, { message: (error as Error).message });
    }
  }

  /** A job whose lease was lost on the way fails, whatever its handler says: the dead letter ends the turn it leaves
   *  behind. */
  private async underLease(job: Job<TurnData>, handler: (job: LeasedJob) => Promise<void>): Promise<void> {
    const watch = new LeaseWatch(
      async () => ((await this.boss.touch(TURNS, job)) as { affected?: number }).affected !== 0,
    );
    this.leases.add(watch);
    try {
      await handler({ id: job.id, data: job.data, lost: watch.lost });
      watch.lost.throwIfAborted();
    } finally {
      this.leases.delete(watch);
      watch.close();
    }
  }

  /** Claimed while the server ends: queued again for whoever takes it next, in one transaction so that it is never
   *  in between. */
  private async giveBack(queue: string, job: Job<object>): Promise<void> {
    await this.database.transaction(async () => {
      await this.boss.cancel(queue, job, { db: this.joined() });
      await this.boss.resume(queue, job.id, { db: this.joined() });
      this.hub.changed(keyOf(queue));
    });
  }

  /** Another server runs in this one's place: it takes over the jobs, this one only lets go. */
  private abandon(reason: string): void {
    for (const loop of this.loops) loop.end();
    for (const lease of this.leases) lease.abort(reason);
  }

  private async end(): Promise<void> {
    const isOver = new AbortController();
    const timeout = delay(STOP_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined); // aborted below
    await Promise.race([Promise.allSettled(this.loops.map((loop) => loop.stop())), timeout]);
    isOver.abort();
    await this.boss.stop({ graceful: true, timeout: GOODBYE_MS });
  }

  /** Statements of the queue on the connection of the open transaction. */
  private joined() {
    return {
      executeSql: async (sql: string, values: unknown[] = []) => ({ rows: await this.database.query(sql, values) }),
    };
  }
}

/** What waits for a queue in the hub of changes. */
const keyOf = (queue: string): string => `queue:${queue}`;

async function within(seconds: number, work: Promise<void>): Promise<void> {
  const isOver = new AbortController();
  const tooLong = delay(seconds * 1_000, undefined, { signal: isOver.signal }).then(() => {
    throw new Error(`it took longer than ${seconds} s`);
  });
  try {
    await Promise.race([work, tooLong]);
  } finally {
    isOver.abort();
    tooLong.catch(() => undefined); // aborted: the work was first
  }
}
