import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { type Job, PgBoss } from 'pg-boss';
import { ANSWER_TIMEOUT_MS } from '../platform/database/answering-client.js';
import type { ChangeHub } from '../platform/database/change-hub.js';
import type { Database, Transaction } from '../platform/database/database.js';
import { type JobKind, jobQueues, QUEUE_SCHEMA } from './job-queues.js';

/** How soon it is seen that the process of a job is gone. */
const SUPERVISE_EVERY_SECONDS = 2;
const STOP_WITHIN_MS = 20_000;
const KEY = 'jobs:';

/** Background work. Failed jobs are repeated, so handlers must be repeatable. */
export interface NewJob {
  kind: JobKind;
  data: Record<string, unknown>;
  /** Seconds until it is worked on; none by default. */
  startAfter?: number;
  /** To cancel it by. */
  id?: string;
}
/** A job that a handler works on. */
export interface ActiveJob {
  id: string;
  /** Aborts when the job was given to another process. */
  isOver: AbortSignal;
  /** Ends it with the open transaction. @throws Error if it was given to another process */
  complete(tx: Transaction): Promise<void>;
}
export type JobHandler = (data: Record<string, unknown>, job: ActiveJob) => Promise<void>;

/** Jobs without home, fairness or fence: housekeeping and timers, on pg-boss in the same PostgreSQL as the records.
 *  Each kind has places of its own, so that none waits for another. */
export class Jobs implements OnModuleDestroy {
  private readonly logger = new Logger(Jobs.name);
  private readonly boss: PgBoss;
  /** Of each kind that this process works on. */
  private readonly workers = new Map<string, string[]>();
  private stopping: Promise<void> | null = null;

  constructor(
    url: string,
    private readonly database: Database,
    private readonly hub: ChangeHub,
  ) {
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
      max: 2,
      application_name: 'taskyard-queue',
      migrate: false,
      superviseIntervalSeconds: SUPERVISE_EVERY_SECONDS,
      monitorIntervalSeconds: SUPERVISE_EVERY_SECONDS,
    });
    this.boss.on('error', (error) => this.logger.warn(`jobs: ${error.message}`));
    hub.follow((key) => this.nudged(key));
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  /** @param _tx null if nothing else is written together with the job */
  async send(_tx: Transaction | null, { kind, data, startAfter = 0, id }: NewJob): Promise<void> {
    await this.boss.send(kind, data, { db: this.joined(), startAfter, id });
    if (startAfter === 0) this.hub.changed(KEY + kind);
  }

  /** Those that are not over yet. */
  async cancel(_tx: Transaction, kind: JobKind, ids: string[]): Promise<void> {
    if (ids.length > 0) await this.boss.cancel(kind, ids, { db: this.joined() });
  }

  /** Those of the given ones that wait or are worked on. */
  async listOpen(kind: JobKind, ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM ${QUEUE_SCHEMA}.job WHERE name = $1 AND id = ANY($2) AND state < 'completed'`,
      [kind, ids],
    );
    return rows.map(({ id }) => id);
  }

  async work(kind: JobKind, handler: JobHandler): Promise<void> {
    if (this.stopping) return;
    const ids: string[] = [];
    this.workers.set(KEY + kind, ids);
    const { places, pollSeconds } = jobQueues[kind];
    for (let left = places; left > 0; left -= 1)
      ids.push(
        await this.boss.work<NewJob['data']>(kind, { pollingIntervalSeconds: pollSeconds }, ([job]) =>
          this.handle(job!, handler),
        ),
      );
  }

  /** A job that repeats on a cron expression, once in the whole cluster. */
  async schedule(kind: JobKind, cron: string): Promise<void> {
    await this.boss.schedule(kind, cron);
  }

  /** Runs first in a shutdown: takes no more jobs. */
  onModuleDestroy(): void {
    for (const kind of Object.keys(jobQueues)) void this.boss.offWork(kind, { wait: false });
  }

  /** Waits, at most 20 s, for what runs. May be called again. */
  stop(): Promise<void> {
    return (this.stopping ??= this.boss.stop({ graceful: true, timeout: STOP_WITHIN_MS }));
  }

  /** pg-boss pauses between jobs, although another may be waiting. */
  private async handle(job: Job<NewJob['data']>, handler: JobHandler): Promise<void> {
    try {
      await handler(job.data, { id: job.id, isOver: job.signal, complete: () => this.complete(job) });
    } catch (error) {
      this.logger.warn({ err: error as Error, job_id: job.id, kind: job.name }, 'a job failed');
      throw error;
    } finally {
      this.nudged(KEY + job.name);
    }
  }

  private async complete(job: Job<NewJob['data']>): Promise<void> {
    const answer = await this.boss.complete(job.name, job, undefined, { db: this.joined() });
    const { affected } = answer as { affected?: number }; // its types leave it out
    if (affected !== 1) throw new Error(`the job ${job.id} was given to another process`);
  }

  /** @param key null if any may be meant */
  private nudged(key: string | null): void {
    const ids = key === null ? [...this.workers.values()].flat() : (this.workers.get(key) ?? []);
    ids.forEach((id) => this.boss.notifyWorker(id));
  }

  /** Statements of pg-boss on the connection of the open transaction. */
  private joined() {
    return {
      executeSql: async (sql: string, values: unknown[] = []) => ({ rows: await this.database.query(sql, values) }),
    };
  }
}
