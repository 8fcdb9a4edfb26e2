import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { loadEnvironment } from '../../../src/config/environment.js';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/database/uuid.js';
import { PgBossTurnQueue } from '../../../src/platform/queue/pg-boss-turn-queue.js';
import type { LeasedJob } from '../../../src/platform/queue/turn-queue.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

/** No test waits for it: a queue that needed the poll would hang. */
const NEVER_MS = 3_600_000;

describe('the queue of turns', () => {
  let test: TestDatabase;
  let database: Database;
  let hub: ChangeHub;
  let runner: AbortController;
  const queues: PgBossTurnQueue[] = [];

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

  async function openQueue(pollMs = NEVER_MS): Promise<PgBossTurnQueue> {
    const queue = new PgBossTurnQueue(test.url, database, hub, { lost: runner.signal }, pollMs);
    await queue.start();
    queues.push(queue);
    return queue;
  }

  const enqueue = (queue: PgBossTurnQueue, attempt_id: string, job_id = newId(), project_id = newId()) =>
    database.transaction((tx) => queue.enqueueTurn(tx, { job_id, attempt_id, project_id }));

  /** Such as `runs completed 3`, sorted. */
  async function jobs(): Promise<string[]> {
    const rows = await database.query<{ line: string }>(
      `SELECT concat_ws(' ', name, state, count(*)) AS line FROM queue.job
       WHERE name NOT LIKE '\\_\\_%' GROUP BY name, state ORDER BY name, state`,
    );
    return rows.map(({ line }) => line);
  }

  const untilJobs = (...lines: string[]) =>
    eventually(lines.join(', '), async () => (await jobs()).join() === lines.join());

  /** Behind the back of the queue, so that nobody is notified. */
  const insertJobs = (count: number) =>
    database.query(
      `INSERT INTO queue.job (id, name, data, expire_seconds, heartbeat_seconds, dead_letter, retry_limit)
       SELECT gen_random_uuid(), 'runs', jsonb_build_object('attempt_id', n::text), 2147483647, 10, 'runs.lost', 0
       FROM generate_series(1, $1::int) n`,
      [count],
    );

  it('drains a backlog of 120 in order on 4 places, each freed place taken at once', async () => {
    const queue = await openQueue();
    const expected = Array.from({ length: 120 }, (_, at) => `attempt-${at}`);
    for (const attempt_id of expected) await enqueue(queue, attempt_id);
    const taken: string[] = [];
    let most = 0;
    let live = 0;
    queue.takeTurns(async ({ id, data }) => {
      taken.push(data.attempt_id);
      most = Math.max(most, (live += 1));
      await database.transaction((tx) => queue.settle(tx, id));
      live -= 1;
    }, 4);
    await eventually('120 jobs', () => taken.length === 120);
    expect([taken.toSorted(byNumber), most]).toEqual([expected, 4]);
    expect(taken.slice(0, 4).toSorted(byNumber)).toEqual(expected.slice(0, 4));
    await untilJobs('runs completed 120');
  });

  it('takes the first turn of a project next or after next, behind 200 of another project', async () => {
    const [ours, theirs] = [newId(), newId()];
    for (const id of [ours, theirs])
      await database.query(
        "INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ($1, 'x', $2, now(), now())",
        [id, id],
      );
    const queue = await openQueue();
    for (let at = 0; at < 200; at += 1) await enqueue(queue, `ours-${at}`, newId(), ours);
    const taken: string[] = [];
    let arrived = -1;
    queue.takeTurns(async ({ data }) => {
      taken.push(data.attempt_id);
      if (taken.length !== 50) return;
      arrived = taken.length;
      for (let at = 0; at < 3; at += 1) await enqueue(queue, `theirs-${at}`, newId(), theirs);
    }, 1);
    await eventually('203 jobs', () => taken.length === 203);
    const places = [0, 1, 2].map((at) => taken.indexOf(`theirs-${at}`) - arrived);
    expect(places[0]).toBeLessThanOrEqual(1);
    expect(places).toEqual([places[0]!, places[0]! + 2, places[0]! + 4]);
    const own = taken.filter((attempt_id) => attempt_id.startsWith('ours-'));
    expect(own).toEqual(Array.from({ length: 200 }, (_, at) => `ours-${at}`));
  });

  it('takes the next one at once with 10 000 queued', async () => {
    await insertJobs(10_000);
    const queue = await openQueue();
    let taken = 0;
    let last!: () => void;
    const enough = new Promise<void>((resolve) => (last = resolve));
    queue.takeTurns(async () => {
      taken += 1;
      if (taken === 200) last();
      await delay(1);
    }, 8);
    await enough;
    await queue.stop();
    expect(await jobs()).toEqual([
      expect.stringMatching(/^runs created \d+$/),
      expect.stringMatching(/^runs completed \d+$/),
    ]);
  });

  it('finds by its poll what nobody was notified of', async () => {
    const queue = await openQueue(50);
    const taken: string[] = [];
    queue.takeTurns(({ data }) => Promise.resolve(void taken.push(data.attempt_id)), 2);
    await delay(200);
    await insertJobs(1);
    await eventually('the job', () => taken.join() === '1');
  });

  it('hears of a turn that is enqueued while it rests, and not of one that is rolled back', async () => {
    const queue = await openQueue();
    const taken: string[] = [];
    queue.takeTurns(({ data }) => Promise.resolve(void taken.push(data.attempt_id)), 2);
    await delay(100);
    const undone = database.transaction(async (tx) => {
      await queue.enqueueTurn(tx, { job_id: newId(), attempt_id: 'undone', project_id: newId() });
      throw new Error('never mind');
    });
    await expect(undone).rejects.toThrow('never mind');
    await enqueue(queue, 'stays');
    await eventually('the job', () => taken.join() === 'stays');
  });

  it('stops in the middle: what runs is waited for, what waits stays queued for the next server', async () => {
    const queue = await openQueue();
    for (let at = 0; at < 20; at += 1) await enqueue(queue, `attempt-${at}`);
    const ends: (() => void)[] = [];
    queue.takeTurns(() => new Promise((resolve) => ends.push(resolve)), 3);
    await eventually('three jobs', () => ends.length === 3);
    queue.onModuleDestroy();
    ends[0]!(); // its place is free now, and stays so
    await delay(200);
    expect(ends).toHaveLength(3);
    const stopped = queue.stop();
    ends.forEach((end) => end());
    await stopped;
    expect(await jobs()).toEqual(['runs created 17', 'runs completed 3']);
    const next = await openQueue();
    let taken = 0;
    next.takeTurns(() => Promise.resolve(void (taken += 1)), 3);
    await eventually('the 17 that waited', () => taken === 17);
  });

  it('lets a turn live for longer than a week: only a silent heartbeat ends its lease', async () => {
    const queue = await openQueue();
    const lost: string[] = [];
    queue.onLostTurn((attempt_id) => Promise.resolve(void lost.push(attempt_id)));
    let job!: LeasedJob;
    let end!: () => void;
    queue.takeTurns((leased) => {
      job = leased;
      return new Promise<void>((resolve) => (end = resolve));
    }, 1);
    await enqueue(queue, 'patient');
    await eventually('the job', () => job as LeasedJob | undefined);
    await database.query(`UPDATE queue.job SET started_on = started_on - interval '8 days' WHERE id = $1`, [job.id]);
    await delay(6_000); // the queue looks for lost jobs every 2 s
    expect([job.lost.aborted, lost]).toEqual([false, []]);
    end();
    await untilJobs('runs completed 1');
  });

  it('hands several lost turns to their end without a pause between them', async () => {
    await insertJobs(6);
    await database.query(
      `UPDATE queue.job SET state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute'`,
    );
    const queue = await openQueue(500);
    const lost: string[] = [];
    queue.onLostTurn((attempt_id) => Promise.resolve(void lost.push(attempt_id)));
    await eventually('six lost turns', () => lost.toSorted().join('') === '123456');
  });

  it('lets go of everything once another server runs in its place', async () => {
    const queue = await openQueue();
    await enqueue(queue, 'first');
    await enqueue(queue, 'second');
    const taken: LeasedJob[] = [];
    queue.takeTurns((job) => {
      taken.push(job);
      return new Promise((_, reject) => job.lost.addEventListener('abort', () => reject(job.lost.reason as Error)));
    }, 1);
    await eventually('the first job', () => taken.length === 1);
    runner.abort(new Error('another server runs in the place of this one'));
    await untilJobs('runs created 1', 'runs failed 1', 'runs.lost created 1');
    expect([taken.length, (taken[0]!.lost.reason as Error).message]).toEqual([
      1,
      'another server runs in the place of this one',
    ]);
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

const byNumber = (a: string, b: string): number => Number(a.split('-')[1]) - Number(b.split('-')[1]);
