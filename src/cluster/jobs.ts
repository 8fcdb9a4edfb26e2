import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { type Job, PgBoss } from 'pg-boss';
import { ANSWER_TIMEOUT_MS } from '../platform/database/answering-client.js';
import type { ChangeHub } from '../platform/database/change-hub.js';
import type { Database, Transaction } from '../platform/database/database.js';
import { type JobKind, jobQueues, QUEUE_SCHEMA } from './job-queues.js';

/** Jobs follow nudges; the poll is for retries, schedules, and what a lost nudge missed. */
const POLL_SECONDS = 5;
/** Retries and schedules, for which nobody waits. */
const SUPERVISE_EVERY_SECONDS = 5;
const STOP_WITHIN_MS = 20_000;
const KEY = 'jobs:';

/** Background work. Failed jobs are repeated, so handlers must be repeatable. */
export interface NewJob {
  kind: JobKind;
  data: Record<string, unknown>;
  /** Seconds until it is worked on; none by default. */
  startAfter?: number;
}
/** @param isOver aborts when the job was given to another process */
export type JobHandler = (data: Record<string, unknown>, isOver: AbortSignal) => Promise<void>;

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
  async send(_tx: Transaction | null, { kind, data, startAfter = 0 }: NewJob): Promise<void> {
    await this.boss.send(kind, data, { db: this.joined(), startAfter });
    if (startAfter === 0) this.hub.changed(KEY + kind);
  }

  async work(kind: JobKind, handler: JobHandler): Promise<void> {
    if (this.stopping) return;
    const ids: string[] = [];
    this.workers.set(KEY + kind, ids);
    for (let left = jobQueues[kind].places; left > 0; left -= 1)
      ids.push(
        await this.boss.work<NewJob['data']>(kind, { pollingIntervalSeconds: POLL_SECONDS }, ([job]) =>
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
      await handler(job.data, job.signal);
    } catch (error) {
      this.logger.warn({ err: error as Error, job_id: job.id, kind: job.name }, 'a job failed');
      throw error;
    } finally {
      this.nudged(KEY + job.name);
    }
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
