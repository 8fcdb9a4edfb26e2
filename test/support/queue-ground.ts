import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { loadEnvironment } from '../../src/config/environment.js';
import { ChangeHub } from '../../src/platform/database/change-hub.js';
import { openDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/database/uuid.js';
import { DatabaseTurnQueue } from '../../src/platform/queue/database-turn-queue.js';
import type { Holder, QueueLimits } from '../../src/platform/queue/turn-jobs.js';
import type { TurnQueue } from '../../src/platform/queue/turn-queue.js';
import { createTestDatabase, type TestDatabase } from './database.js';

/** No test waits for it: a queue that needed the poll would hang. */
const NEVER_MS = 3_600_000;

export const numbered = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** The queue of turns alone, over a database of each test. */
export function useQueue() {
  const ground = {} as { test: TestDatabase; database: Database; hub: ChangeHub; runner: AbortController };
  const queues: DatabaseTurnQueue[] = [];

  beforeAll(() => Logger.overrideLogger(false)); // jobs fail here on purpose
  beforeEach(async () => {
    ground.test = await createTestDatabase();
    ground.database = new Database(await openDataSource(ground.test.url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
    ground.hub = new ChangeHub(ground.database);
    ground.runner = new AbortController();
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop()));
    ground.hub.beforeApplicationShutdown();
    await ground.database.onApplicationShutdown();
    await ground.test.drop();
  });

  /** A runner that lives for as long as the ground.test. */
  async function holderCalled(id: string, executors = ['SHELL']): Promise<Holder> {
    const incarnation = newId();
    await ground.database.query(
      `INSERT INTO runners (runner_id, incarnation, role, address, version, slots, isolation, secret_print, seen_at)
       VALUES ($1, $2, 'runner', 'x:1', '0', 8, 'none', '', now() + interval '1 hour')
       ON CONFLICT (runner_id) DO UPDATE SET incarnation = excluded.incarnation, left_at = NULL`,
      [id, incarnation],
    );
    return { id, incarnation, available: executors, lease: ground.runner.signal, lost: ground.runner.signal };
  }

  async function openQueue(pollMs = NEVER_MS, holder?: Holder, limits: Partial<QueueLimits> = {}) {
    const caps = { MAX_CONCURRENT_PER_PROJECT: 0, MAX_CONCURRENT_PER_EXECUTOR: {}, RUNNER_LOST_SECS: 60, ...limits };
    const queue = new DatabaseTurnQueue(
      ground.test.url,
      ground.database,
      ground.hub,
      holder ?? (await holderCalled('me')),
      caps,
      pollMs,
    );
    await queue.start();
    queues.push(queue);
    return queue;
  }

  const enqueue = (queue: TurnQueue, attempt_id: string, job_id = newId(), project_id = newId(), executor = 'SHELL') =>
    ground.database.transaction((tx) => queue.enqueueTurn(tx, { job_id, attempt_id, project_id, executor }));
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

  /** An attempt whose worktrees a runner holds. @returns its id */
  async function attemptOf(runner_id: string): Promise<string> {
    const [attempt] = await ground.database.query<{ id: string }>(
      `WITH project AS (
         INSERT INTO projects (id, name, slug, created_at, updated_at)
         VALUES (gen_random_uuid(), 'x', 'x', now(), now())
         RETURNING id
       ), task AS (
         INSERT INTO tasks (id, project_id, title, stage, created_at, updated_at)
         SELECT gen_random_uuid(), id, 'x', 'INIT', now(), now() FROM project RETURNING id, project_id
       )
       INSERT INTO attempts (id, task_id, project_id, branch, runner_id, created_at, updated_at)
       SELECT gen_random_uuid(), id, project_id, 'x', $1, now(), now() FROM task RETURNING id`,
      [runner_id],
    );
    return attempt!.id;
  }

  return Object.assign(ground, { openQueue, holderCalled, enqueue, turns, insertJobs, attemptOf });
}
