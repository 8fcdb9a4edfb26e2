import { PgBoss, type QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'queue';

/** After this silence of its process a job is given to another. */
const HEARTBEAT_SECONDS = 10;
const LONGEST_SECONDS = 600;

/** Each kind of job is a queue, with so many places in each process that works on it. */
export const jobQueues = {
  prepare_workspace: { places: 4 },
  dispose_workspaces: { places: 2 },
  prune_records: { places: 1 },
} as const satisfies Record<string, { places: number }>;
export type JobKind = keyof typeof jobQueues;

const options: QueueOptions = {
  retryLimit: 5,
  retryDelay: 10,
  retryBackoff: true,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: LONGEST_SECONDS,
};

/** Creates or upgrades the schema of pg-boss and our queues; safe to repeat. */
export async function installQueues(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: QUEUE_SCHEMA, max: 2, supervise: false, schedule: false });
  boss.on('error', () => undefined); // start() rejects with the same error
  await boss.start();
  try {
    for (const kind of Object.keys(jobQueues)) {
      await boss.createQueue(kind, options);
      await boss.updateQueue(kind, options); // for a queue that exists already
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}
