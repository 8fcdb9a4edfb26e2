import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { loadEnvironment } from '../../../src/config/environment.js';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/database/uuid.js';
import { DatabaseTurnQueue } from '../../../src/platform/queue/database-turn-queue.js';
import type { Holder, QueueLimits } from '../../../src/platform/queue/turn-jobs.js';
import type { LeasedJob, TurnQueue } from '../../../src/platform/queue/turn-queue.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

/** No test waits for it: a queue that needed the poll would hang. */
const NEVER_MS = 3_600_000;

describe('the queue of turns', () => {
  let test: TestDatabase;
  let database: Database;
  let hub: ChangeHub;
  let runner: AbortController;
  const queues: DatabaseTurnQueue[] = [];

  beforeAll(() => Logger.overrideLogger(false)); // jobs fail here on purpose
  beforeEach(async () => {
    test = await createTestDatabase();
    database = new Database(await openDataSource(test.url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
    hub = new ChangeHub(database);
    runner = new AbortController();
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop()));
    hub.beforeApplicationShutdown();
    await database.onApplicationShutdown();
    await test.drop();
  });

  /** A runner that lives for as long as the test. */
  async function holderCalled(id: string, executors = ['SHELL']): Promise<Holder> {
    const incarnation = newId();
    await database.query(
      `INSERT INTO runners (runner_id, incarnation, role, address, version, slots, isolation, secret_print, seen_at)
       VALUES ($1, $2, 'runner', 'x:1', '0', 8, 'none', '', now() + interval '1 hour')
       ON CONFLICT (runner_id) DO UPDATE SET incarnation = excluded.incarnation, left_at = NULL`,
      [id, incarnation],
    );
    return { id, incarnation, available: executors, lease: runner.signal, lost: runner.signal };
  }

  async function openQueue(pollMs = NEVER_MS, holder?: Holder, limits: Partial<QueueLimits> = {}) {
    const caps = { MAX_CONCURRENT_PER_PROJECT: 0, MAX_CONCURRENT_PER_EXECUTOR: {}, RUNNER_LOST_SECS: 60, ...limits };
    const queue = new DatabaseTurnQueue(test.url, database, hub, holder ?? (await holderCalled('me')), caps, pollMs);
    await queue.start();
    queues.push(queue);
    return queue;
  }

  const enqueue = (queue: TurnQueue, attempt_id: string, job_id = newId(), project_id = newId(), executor = 'SHELL') =>
    database.transaction((tx) => queue.enqueueTurn(tx, { job_id, attempt_id, project_id, executor }));
  const numbered = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

  /** Turns that wait and that run. */
  async function turns(): Promise<{ waiting: number; running: number }> {
    const [row] = await database.query<{ waiting: number; running: number }>(
      `SELECT count(*) FILTER (WHERE taken_at IS NULL)::int AS waiting, count(taken_at)::int AS running FROM turn_jobs`,
    );
    return row!;
  }

  /** Behind the back of the queue, so that nobody is notified. */
  const insertJobs = (count: number, more: { project?: string; home?: string } = {}) =>
    database.query(
      `INSERT INTO turn_jobs (job_id, attempt_id, project_id, executor, home)
       SELECT gen_random_uuid(), gen_random_uuid(), coalesce($2::uuid, gen_random_uuid()), 'SHELL', $3
       FROM generate_series(1, $1::int) n`,
      [count, more.project ?? null, more.home ?? ''],
    );

  it('drains a backlog of 120 on 4 places in the order of its project, each freed place taken at once', async () => {
    const [queue, project] = [await openQueue(), newId()];
    const expected = Array.from({ length: 120 }, (_, at) => numbered(at));
    for (const attempt_id of expected) await enqueue(queue, attempt_id, newId(), project);
    const taken: string[] = [];
    let most = 0;
    let live = 0;
    queue.takeTurns(async ({ id, data }) => {
      taken.push(data.attempt_id);
      most = Math.max(most, (live += 1));
      await database.transaction((tx) => queue.settle(tx, id));
      live -= 1;
    }, 4);
    await eventually('120 turns', () => taken.length === 120);
    expect([taken.toSorted(), most]).toEqual([expected, 4]);
    expect(taken.slice(0, 4).toSorted()).toEqual(expected.slice(0, 4));
    await eventually('an empty queue', async () => (await turns()).running === 0);
  });

  it('takes the first turn of a project next or after next, behind 20 000 of another project', async () => {
    const [ours, theirs] = [newId(), newId()];
    await insertJobs(20_000, { project: ours });
    const queue = await openQueue();
    const taken: string[] = [];
    const done = new Promise<void>((resolve) =>
      queue.takeTurns(async ({ data }) => {
        taken.push(data.attempt_id);
        if (taken.length === 80) resolve();
        if (taken.length !== 50) return;
        for (let at = 0; at < 3; at += 1) await enqueue(queue, numbered(at), newId(), theirs);
      }, 1),
    );
    await done;
    const places = [0, 1, 2].map((at) => taken.indexOf(numbered(at)) - 50);
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[0]).toBeLessThanOrEqual(1);
    expect(places).toEqual([places[0]!, places[0]! + 2, places[0]! + 4]);
  });

  it('never passes a cap, whoever claims beside, and fills the room that an end makes', async () => {
    const limits = { MAX_CONCURRENT_PER_PROJECT: 3, MAX_CONCURRENT_PER_EXECUTOR: { SHELL: 7 } };
    const projects = Array.from({ length: 4 }, () => newId());
    for (const project of projects) await insertJobs(30, { project });
    const over: string[] = [];
    let ended = 0;
    const work = (queue: TurnQueue) => async (job: LeasedJob) => {
      const rows = await database.query<{ running: number; total: number }>(
        `SELECT count(*)::int AS running, sum(count(*)) OVER ()::int AS total
         FROM turn_jobs WHERE taken_at IS NOT NULL GROUP BY project_id`,
      );
      if (rows.some(({ running, total }) => running > 3 || total > 7)) over.push(JSON.stringify(rows));
      await delay(2);
      await database.transaction((tx) => queue.settle(tx, job.id));
      ended += 1;
    };
    for (const name of ['a', 'b', 'c']) {
      const queue = await openQueue(200, await holderCalled(name), limits);
      queue.takeTurns(work(queue), 8);
    }
    await eventually('all turns', () => ended === 120, 30_000);
    expect(over).toEqual([]);
  }, 60_000);

  it('gives a turn to its home alone, until that has left, and to nobody without its executor', async () => {
    const here = await openQueue(100, await holderCalled('here'));
    await holderCalled('away');
    const taken: string[] = [];
    here.takeTurns(({ data }) => Promise.resolve(void taken.push(data.attempt_id)), 4);
    await enqueue(here, numbered(1), newId(), newId(), 'CODEX');
    await insertJobs(1, { home: 'away' });
    await insertJobs(1, { home: 'here' });
    await eventually('the turn of this home', () => taken.length === 1);
    await delay(300);
    expect([taken.length, await turns()]).toEqual([1, { waiting: 2, running: 0 }]);
    here.onLostTurn(() => Promise.resolve());
    await database.query("UPDATE runners SET left_at = now() WHERE runner_id = 'away'");
    await eventually('the turn whose home has left', () => taken.length === 2);
    expect(await turns()).toEqual({ waiting: 1, running: 0 });
  });

  it('takes the next one at once with 10 000 queued', async () => {
    await insertJobs(10_000);
    const queue = await openQueue();
    let taken = 0;
    await new Promise<void>((resolve) =>
      queue.takeTurns(async () => {
        taken += 1;
        if (taken === 200) resolve();
        await delay(1);
      }, 8),
    );
  });

  it('finds by its poll what nobody was notified of', async () => {
    const queue = await openQueue(50);
    let taken = 0;
    queue.takeTurns(() => Promise.resolve(void (taken += 1)), 2);
    await delay(200);
    await insertJobs(1);
    await eventually('the turn', () => taken === 1);
  });

  it('hears of a turn that is enqueued while it rests, and not of one that is rolled back', async () => {
    const queue = await openQueue();
    const taken: string[] = [];
    queue.takeTurns(({ data }) => Promise.resolve(void taken.push(data.attempt_id)), 2);
    await delay(100);
    const undone = database.transaction(async (tx) => {
      await queue.enqueueTurn(tx, { job_id: newId(), attempt_id: numbered(1), project_id: newId(), executor: 'SHELL' });
      throw new Error('never mind');
    });
    await expect(undone).rejects.toThrow('never mind');
    await enqueue(queue, numbered(2));
    await eventually('the turn', () => taken.join() === numbered(2));
  });

  it('stops in the middle: what runs is waited for, what waits stays queued for the next server', async () => {
    const queue = await openQueue();
    for (let at = 0; at < 20; at += 1) await enqueue(queue, numbered(at));
    const ends: (() => void)[] = [];
    queue.takeTurns(() => new Promise((resolve) => ends.push(resolve)), 3);
    await eventually('three turns', () => ends.length === 3);
    queue.onModuleDestroy();
    ends[0]!(); // its place is free now, and stays so
    await delay(200);
    expect(ends).toHaveLength(3);
    const stopped = queue.stop();
    ends.forEach((end) => end());
    await stopped;
    expect(await turns()).toEqual({ waiting: 17, running: 0 });
    const next = await openQueue();
    let taken = 0;
    next.takeTurns(() => Promise.resolve(void (taken += 1)), 3);
    await eventually('the 17 that waited', () => taken === 17);
  });

  it('finds the turns of a runner that is silent, that left, or lives another life, and no others', async () => {
    const queue = await openQueue();
    const lost: string[] = [];
    const seize = (attempt: number, runner_id: string, incarnation: string | null) =>
      database.query(
        `INSERT INTO turn_jobs (job_id, attempt_id, project_id, executor, taken_at, runner_id, incarnation)
         SELECT gen_random_uuid(), $1, gen_random_uuid(), 'SHELL', now() - interval '8 days', r.runner_id,
           coalesce($3::uuid, r.incarnation)
         FROM runners r WHERE r.runner_id = $2`,
        [numbered(attempt), runner_id, incarnation],
      );
    for (const name of ['silent', 'left', 'alive']) await holderCalled(name);
    await seize(1, 'silent', null);
    await seize(2, 'left', null);
    await seize(3, 'alive', newId());
    await seize(4, 'alive', null);
    await database.query("UPDATE runners SET seen_at = now() - interval '11 seconds' WHERE runner_id = 'silent'");
    await database.query("UPDATE runners SET left_at = now() WHERE runner_id = 'left'");
    queue.onLostTurn(async ({ attempt_id, job_id }) => {
      lost.push(attempt_id);
      await database.transaction((tx) => queue.settle(tx, job_id));
    });
    await eventually('three lost turns', () => lost.length >= 3);
    await delay(2_500); // another look
    expect(lost.toSorted()).toEqual([1, 2, 3].map(numbered));
  });

  it('hands what its handler gave up to the same end', async () => {
    const queue = await openQueue();
    await enqueue(queue, numbered(1));
    const lost: string[] = [];
    queue.onLostTurn(({ attempt_id }) => Promise.resolve(void lost.push(attempt_id)));
    queue.takeTurns(() => Promise.reject(new Error('a fault')), 1);
    await eventually('its end', () => lost.join() === numbered(1));
  });

  it('takes nothing more once another server runs in its place', async () => {
    const queue = await openQueue(100);
    runner.abort(new Error('another server runs in the place of this one'));
    let taken = 0;
    queue.takeTurns(() => Promise.resolve(void (taken += 1)), 1);
    await enqueue(queue, numbered(1));
    await delay(300);
    expect([taken, await turns()]).toEqual([0, { waiting: 1, running: 0 }]);
  });

  it('repeats housekeeping that failed, and does one after another without a pause', async () => {
    const queue = await openQueue(200);
    const done: unknown[] = [];
    queue.workHousekeeping({
      count: ({ n }) => {
        done.push(n);
        return n === 3 && done.filter((one) => one === 3).length === 1
          ? Promise.reject(new Error('not yet'))
          : Promise.resolve();
      },
    });
    for (let n = 0; n < 20; n += 1) await queue.addHousekeeping(null, { kind: 'count', data: { n } });
    await eventually('all twenty', () => new Set(done).size === 20);
    await database.query(`UPDATE queue.job SET start_after = now() WHERE state = 'retry'`);
    await eventually('the one that failed', () => done.length === 21);
    expect(done.at(-1)).toBe(3);
  });
});
