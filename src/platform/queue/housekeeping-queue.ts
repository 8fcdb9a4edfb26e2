import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Job, PgBoss } from 'pg-boss';
import { ANSWER_TIMEOUT_MS } from '../database/answering-client.js';
import type { ChangeHub } from '../database/change-hub.js';
import type { Database } from '../database/database.js';
import { HOUSEKEEPING, HOUSEKEEPING_WITHIN_SECONDS, QUEUE_SCHEMA } from './install-queue.js';
import { JobLoop } from './job-loop.js';
import type { HousekeepingHandlers, HousekeepingJob } from './turn-queue.js';

const GOODBYE_MS = 2_000;
/** Nobody waits for what it makes by itself: retries and schedules. */
const SUPERVISE_EVERY_S = 10;
const KEY = 'queue:housekeeping';

/** Work nobody waits for, on pg-boss in the same PostgreSQL as the records. Jobs are fetched by a loop of our own:
 *  pg-boss's workers wait between two jobs, however many are queued. */
export class HousekeepingQueue {
  private readonly logger = new Logger(HousekeepingQueue.name);
  private readonly boss: PgBoss;
  private loop: Pick<JobLoop<unknown>, 'stop' | 'end'> | null = null;

  constructor(
    url: string,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly pollMs: number,
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
      superviseIntervalSeconds: SUPERVISE_EVERY_S,
      monitorIntervalSeconds: SUPERVISE_EVERY_S,
    });
    this.boss.on('error', (error) => this.logger.warn(`queue: ${error.message}`));
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  async add({ kind, data }: HousekeepingJob): Promise<void> {
    await this.boss.send(HOUSEKEEPING, { ...data, kind }, { db: this.joined() });
    this.hub.changed(KEY);
  }

  async schedule(kind: string, cron: string): Promise<void> {
    await this.boss.schedule(HOUSEKEEPING, cron, { kind }, { key: kind });
  }

  async unschedule(kind: string): Promise<void> {
    await this.boss.unschedule(HOUSEKEEPING, kind);
  }

  work(handlers: HousekeepingHandlers): void {
    const source = {
      fetch: (batchSize: number) =>
        this.boss.fetch<HousekeepingJob['data'] & { kind: string }>(HOUSEKEEPING, { batchSize }),
      handle: (job: Job<HousekeepingJob['data'] & { kind: string }>) =>
        this.settled(job, () => this.handle(job, handlers)),
      giveBack: (job: Job<object>) => this.giveBack(job),
      onFault: (error: unknown) => this.logger.warn(`housekeeping: ${(error as Error).message}`),
    };
    this.loop = new JobLoop(source, this.hub.subscribe(KEY), 1, this.pollMs);
  }

  end(): void {
    this.loop?.end();
  }

  async finished(): Promise<void> {
    await this.loop?.stop();
  }

  async close(): Promise<void> {
    await this.boss.stop({ graceful: true, timeout: GOODBYE_MS });
  }

  private async handle(
    { data }: Job<HousekeepingJob['data'] & { kind: string }>,
    handlers: HousekeepingHandlers,
  ): Promise<void> {
    const handler = handlers[data.kind];
    if (!handler) throw new Error(`no housekeeping is called ${data.kind}`);
    await within(HOUSEKEEPING_WITHIN_SECONDS, handler(data));
  }

  /** Where even the failure cannot be written, the time limit of the queue ends the job. */
  private async settled(job: Job<object>, handle: () => Promise<void>): Promise<void> {
    try {
      await handle();
      await this.boss.complete(HOUSEKEEPING, job);
    } catch (error) {
      this.logger.warn({ err: error as Error, job_id: job.id }, 'a job of the queue housekeeping failed');
      await this.boss.fail(HOUSEKEEPING, job, { message: (error as Error).message });
    }
  }

  /** Claimed while the server ends: queued again for whoever takes it next, in one transaction so that it is never
   *  in between. */
  private async giveBack(job: Job<object>): Promise<void> {
    await this.database.transaction(async () => {
      await this.boss.cancel(HOUSEKEEPING, job, { db: this.joined() });
      await this.boss.resume(HOUSEKEEPING, job.id, { db: this.joined() });
      this.hub.changed(KEY);
    });
  }

  /** Statements of the queue on the connection of the open transaction. */
  private joined() {
    return {
      executeSql: async (sql: string, values: unknown[] = []) => ({ rows: await this.database.query(sql, values) }),
    };
  }
}

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
