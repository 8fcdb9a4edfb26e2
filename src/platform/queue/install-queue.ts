import { PgBoss, type QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'queue';
/** Queues of servers before turn_jobs, from when a turn was called a run: in a rolling upgrade they still write to them
 *  and take from them. They go with a later release. */
export const TURNS = 'runs';
export const LOST_TURNS = 'runs.lost';
export const HOUSEKEEPING = 'housekeeping';
const HOUSEKEEPING_OF_OLD = 'chores';

/** A silent runner's job reaches the dead letter after this; a runner that cannot renew gives up 2 s earlier. */
export const HEARTBEAT_SECONDS = 10;
/** Housekeeping that takes longer counts as failed. */
export const HOUSEKEEPING_WITHIN_SECONDS = 600;
/** The longest that the queue's columns can hold: 68 years. */
const FOREVER_SECONDS = 2 ** 31 - 1;

// Not `singleton`: pg-boss remembers for a minute which keys were active and fetches none of their next jobs.
// One live execution for each attempt is the database's own rule (executions_one_live).
const queues: [string, QueueOptions & { deadLetter?: string }][] = [
  [LOST_TURNS, { retryLimit: 3, retryDelay: 1 }],
  [
    TURNS,
    {
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: 0,
      retentionSeconds: FOREVER_SECONDS, // a turn that waits is never given up
      deadLetter: LOST_TURNS,
    },
  ],
  [HOUSEKEEPING, { retryLimit: 5, retryDelay: 10, retryBackoff: true, expireInSeconds: HOUSEKEEPING_WITHIN_SECONDS }],
];

/** Creates or upgrades the queue's schema and our queues; safe to repeat. */
export async function installQueue(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: QUEUE_SCHEMA, max: 2, supervise: false, schedule: false });
  boss.on('error', () => undefined); // start() rejects with the same error
  await boss.start();
  try {
    for (const [name, options] of queues) {
      await boss.createQueue(name, options);
      await boss.updateQueue(name, { ...options, notify: false }); // for one that is there already
    }
    await boss.getDb().executeSql(NEVER_EXPIRE, [TURNS, FOREVER_SECONDS]);
    await moveHousekeeping(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** What an older installation left in its queue of another name goes on here, its schedules are set anew by the
 *  runner. */
async function moveHousekeeping(boss: PgBoss): Promise<void> {
  if (!(await boss.getQueue(HOUSEKEEPING_OF_OLD))) return;
  await boss.getDb().executeSql(MOVE_JOBS, [HOUSEKEEPING_OF_OLD, HOUSEKEEPING]);
  await boss.deleteQueue(HOUSEKEEPING_OF_OLD);
}

/** A lost runner is known by its heartbeat; a time limit of the queue, which pg-boss caps at a day, would end turns
 *  that live. */
const NEVER_EXPIRE = `
  WITH changed AS (
    UPDATE ${QUEUE_SCHEMA}.queue SET expire_seconds = $2 WHERE name = $1 AND expire_seconds <> $2
    RETURNING name
  )
  UPDATE ${QUEUE_SCHEMA}.job SET expire_seconds = $2
  WHERE name IN (SELECT name FROM changed) AND state < 'completed'`;

const MOVE_JOBS = `UPDATE ${QUEUE_SCHEMA}.job SET name = $2 WHERE name = $1 AND state < 'completed'`;
