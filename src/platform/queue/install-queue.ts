import { PgBoss } from 'pg-boss';

export const QUEUE_SCHEMA = 'queue';
export const RUNS = 'runs';
export const LOST_RUNS = 'runs.lost';
export const CHORES = 'chores';

/** A silent runner's job reaches the dead letter after this; a runner that cannot renew gives up 2 s earlier. */
export const HEARTBEAT_SECONDS = 10;
const MAX_RUN_SECONDS = 23 * 3600;

/** Creates or upgrades the queue's schema and our queues; safe to repeat. */
export async function installQueue(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: QUEUE_SCHEMA, max: 2, supervise: false, schedule: false });
  boss.on('error', () => undefined); // start() rejects with the same error
  await boss.start();
  try {
    await boss.createQueue(LOST_RUNS, { retryLimit: 3, retryDelay: 1, notify: true });
    // Not `singleton`: pg-boss remembers for a minute which keys were active and fetches none of their next jobs. One live run
    // for each attempt is the database's own rule (executions_one_live).
    await boss.createQueue(RUNS, {
      notify: true,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: 0,
      expireInSeconds: MAX_RUN_SECONDS,
      deadLetter: LOST_RUNS,
    });
    await boss.createQueue(CHORES, {
      retryLimit: 5,
      retryDelay: 10,
      retryBackoff: true,
      notify: true,
      expireInSeconds: 600,
    });
  } finally {
    await boss.stop({ graceful: false });
  }
}
