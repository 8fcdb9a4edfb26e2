import { Logger } from '@nestjs/common';
import { type Job, PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../database/database.js';
import { ANSWER_TIMEOUT_MS } from '../database/data-source.js';
import { CHORES, HEARTBEAT_SECONDS, LOST_RUNS, QUEUE_SCHEMA, RUNS } from './install-queue.js';
import { LeaseWatch } from './lease-watch.js';
import type { HousekeepingHandlers, HousekeepingJob, LeasedJob, TurnQueue } from './turn-queue.js';

const STOP_WITHIN_MS = 10_000;
/** Fetches follow notifications; the poll only catches what a lost notification missed. */
const POLLING = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 5 };
/** Each look is eight statements, and a lease lives for ten seconds anyway. */
const LOOK_FOR_LOST_EVERY_S = 2;
type RunData = { attempt_id: string; job_id?: string };

/** The queue of turns on pg-boss, in the same PostgreSQL as the records. */
export class PgBossTurnQueue implements TurnQueue {
  private readonly logger = new Logger(PgBossTurnQueue.name);
  private readonly boss: PgBoss;
  private stopped: Promise<void> | null = null;

  constructor(
    url: string,
    private readonly database: Database,
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
      max: 4,
      application_name: 'taskyard-queue',
      migrate: false,
      useListenNotify: true,
      superviseIntervalSeconds: LOOK_FOR_LOST_EVERY_S,
      monitorIntervalSeconds: LOOK_FOR_LOST_EVERY_S,
    });
    this.boss.on('error', (error) => this.logger.warn(`queue: ${error.message}`));
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  /** Runners stop it early, while what they end can still be written; whoever only serves stops it with the rest. */
  async stop(): Promise<void> {
    this.stopped ??= this.boss.stop({ graceful: true, timeout: STOP_WITHIN_MS });
    await this.stopped;
  }

  async enqueueTurn(_tx: Transaction, job_id: string, attempt_id: string): Promise<void> {
    await this.boss.send(RUNS, { attempt_id, job_id }, { id: job_id, db: this.joined() });
  }

  async settle(_tx: Transaction, job_id: string): Promise<void> {
    await this.boss.complete(RUNS, job_id, null, { db: this.joined(), includeQueued: true });
  }

  async takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): Promise<void> {
    const options = {
      ...POLLING,
      localConcurrency: places,
      batchSize: 1,
      heartbeatRefreshSeconds: HEARTBEAT_SECONDS - 1,
    };
    await this.boss.work<RunData>(RUNS, options, async ([job]) => this.withLease(job, handler));
  }

  async onLostTurn(handler: (attempt_id: string, job_id: string) => Promise<void>): Promise<void> {
    await this.boss.work<RunData>(LOST_RUNS, POLLING, async ([job]) =>
      handler(job.data.attempt_id, job.data.job_id ?? ''),
    );
  }

  async addHousekeeping(_tx: Transaction | null, { kind, data }: HousekeepingJob): Promise<void> {
    await this.boss.send(CHORES, { kind, ...data }, { db: this.joined() });
  }

  async workHousekeeping(handlers: HousekeepingHandlers): Promise<void> {
    await this.boss.work<{ kind: string }>(CHORES, POLLING, async ([{ data }]) => {
      const handler = handlers[data.kind];
      if (!handler) throw new Error(`no housekeeping job is called ${data.kind}`);
      await handler(data);
    });
  }

  async schedule(kind: string, cron: string): Promise<void> {
    await this.boss.schedule(CHORES, cron, { kind }, { key: kind });
  }

  /** A job whose lease was lost on the way fails, whatever its handler says: the dead letter sees to the run it leaves behind. */
  private async withLease(job: Job<RunData>, handler: (job: LeasedJob) => Promise<void>): Promise<void> {
    const watch = new LeaseWatch(
      async () => ((await this.boss.touch(RUNS, job.id)) as { affected?: number }).affected !== 0,
    );
    job.signal.addEventListener('abort', () => watch.abort('the queue took the job back'), { once: true });
    try {
      await handler({ id: job.id, data: job.data, lost: watch.lost });
      watch.lost.throwIfAborted();
    } finally {
      watch.close();
    }
  }

  /** Statements of the queue on the connection of the open transaction. */
  private joined() {
    return {
      executeSql: async (sql: string, values: unknown[] = []) => ({ rows: await this.database.query(sql, values) }),
    };
  }
}
