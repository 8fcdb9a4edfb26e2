import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { loadEnvironment } from '../../src/config/environment.js';
import { ChangeHub } from '../../src/platform/database/change-hub.js';
import { openDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/database/uuid.js';
import type { Holder, QueueLimits } from '../../src/cluster/turn-claims.js';
import { TurnQueue } from '../../src/cluster/turn-queue.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { ManualClock } from './manual-clock.js';

export const numbered = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

export const NO_CAPS: QueueLimits = {
  MAX_CONCURRENT_PER_PROJECT: 0,
  MAX_CONCURRENT_PER_EXECUTOR: {},
  RUNNER_LOST_SECS: 60,
  WORKSPACE_STORE: 'database',
};

/** The queue of turns alone, over a database of each test. Its clock stands still: what needed a poll would hang. */
export function useQueue() {
  const ground = {} as {
    test: TestDatabase;
    database: Database;
    hub: ChangeHub;
    runner: AbortController;
    clock: ManualClock;
  };
  const queues: TurnQueue[] = [];

  beforeAll(() => Logger.overrideLogger(false)); // jobs fail here on purpose
  beforeEach(async () => {
    ground.test = await createTestDatabase();
    ground.database = new Database(await openDataSource(ground.test.url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
    ground.hub = new ChangeHub(ground.database);
    ground.runner = new AbortController();
    ground.clock = new ManualClock();
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop()));
    ground.hub.beforeApplicationShutdown();
    await ground.database.onApplicationShutdown();
    await ground.test.drop();
  });

  /** A runner that lives for as long as the ground.test. */
  async function holderCalled(id: string, executors = ['SHELL'], labels: string[] = []): Promise<Holder> {
    const incarnation = newId();
    await ground.database.query(
      `INSERT INTO runners
         (runner_id, incarnation, role, address, version, slots, isolation, limits, secret_print, labels, seen_at)
       VALUES ($1, $2, 'runner', 'x:1', '0', 8, 'none', '{}', 'shared', $3, now() + interval '1 hour')
       ON CONFLICT (runner_id) DO UPDATE
       SET incarnation = excluded.incarnation, seen_at = excluded.seen_at, left_at = NULL`,
      [id, incarnation, labels],
    );
    const { signal } = ground.runner;
    return { id, incarnation, available: executors, labels, isOfOneAttempt: false, lost: signal, replaced: signal };
  }

  async function openQueue(holder?: Holder, limits: Partial<QueueLimits> = {}) {
    const caps = { ...NO_CAPS, ...limits };
    const { database, hub, clock } = ground;
    const queue = new TurnQueue(database, hub, holder ?? (await holderCalled('me')), caps, clock);
    queues.push(queue);
    return queue;
  }

  const enqueue = (queue: TurnQueue, attempt_id: string, job_id = newId(), project_id = newId(), executor = 'SHELL') =>
    ground.database.transaction((tx) =>
      queue.enqueue(tx, { job_id, attempt_id, project_id, executor, labels: [], home: null, priority: 0 }),
    );

  /** Turns that wait and that run. */
  async function turns(): Promise<{ waiting: number; running: number }> {
    const [row] = await ground.database.query<{ waiting: number; running: number }>(
      `SELECT count(*) FILTER (WHERE taken_at IS NULL)::int AS waiting, count(taken_at)::int AS running FROM turn_jobs`,
    );
    return row!;
  }

  /** Behind the back of the queue, so that nobody is notified. In pieces: the share of a project is written for each
   *  row, and its old versions go with the transaction. */
  async function insertJobs(count: number, { project, home = '' }: { project?: string; home?: string } = {}) {
    for (let left = count; left > 0; left -= 500)
      await ground.database.query(
        `INSERT INTO turn_jobs (job_id, attempt_id, project_id, executor, home)
         SELECT gen_random_uuid(), gen_random_uuid(), coalesce($2::uuid, gen_random_uuid()), 'SHELL', $3
         FROM generate_series(1, $1::int) n`,
        [Math.min(left, 500), project ?? null, home],
      );
  }

  return Object.assign(ground, { openQueue, holderCalled, enqueue, turns, insertJobs });
}
