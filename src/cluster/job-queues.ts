import { PgBoss, type QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'queue';

/** After this silence of its process a job is given to another. */
const HEARTBEAT_SECONDS = 10;
const LONGEST_SECONDS = 600;

interface JobQueue {
  /** In each process that works on it. */
  places: number;
  /** How late a timer may be found. Work that is due at once follows nudges. */
  pollSeconds: number;
  options: QueueOptions;
}

const tidying: QueueOptions = {
  retryLimit: 5,
  retryDelay: 10,
  retryBackoff: true,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: LONGEST_SECONDS,
};

/** Each is one short transaction. A kill uses up a retry, and a job is deleted when it is kept no longer, so that both
 *  limits are far. */
const timers: QueueOptions = {
  retryLimit: 10_000,
  retryDelay: 1,
  retryBackoff: false,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: 30,
  retentionSeconds: 366 * 24 * 3_600,
  deleteAfterSeconds: 3_600,
};

const queue = (places: number, options: QueueOptions, pollSeconds: number): JobQueue => ({
  places,
  options,
  pollSeconds,
});

/** Each kind of job is a queue. */
export const jobQueues = {
  prepare_workspace: queue(4, tidying, 5),
  dispose_workspaces: queue(2, tidying, 5),
  prune_records: queue(1, tidying, 5),
  continuations: queue(3, timers, 2),
  resend_continuations: queue(1, timers, 15),
} as const satisfies Record<string, JobQueue>;
export type JobKind = keyof typeof jobQueues;

/** Creates or upgrades the schema of pg-boss and our queues; safe to repeat. */
export async function installQueues(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: QUEUE_SCHEMA, max: 2, supervise: false, schedule: false });
  boss.on('error', () => undefined); // start() rejects with the same error
  await boss.start();
  try {
    for (const [kind, { options }] of Object.entries(jobQueues)) {
      await boss.createQueue(kind, options);
      await boss.updateQueue(kind, options); // for a queue that exists already
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}
