import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../src/platform/database/uuid.js';
import type { LeasedJob } from '../../../src/cluster/turn-claims.js';
import type { TurnQueue } from '../../../src/cluster/turn-queue.js';
import { eventually } from '../../support/eventually.js';
import { numbered, useQueue } from '../../support/queue-ground.js';

/** Beside one that is always there, so that the list is not empty. */
const offering = (...found: object[]): object[] => [{ executor: 'DEMO', is_available: true }, ...found];

describe('the claim of a turn', () => {
  const ground = useQueue();
  const { openQueue, holderCalled, enqueue, turns, insertJobs } = ground;

  it('never passes a cap, whoever claims beside, and fills the room that an end makes', async () => {
    const limits = { MAX_CONCURRENT_PER_PROJECT: 3, MAX_CONCURRENT_PER_EXECUTOR: { SHELL: 7 } };
    const projects = Array.from({ length: 4 }, () => newId());
    for (const project of projects) await insertJobs(30, { project });
    const over: string[] = [];
    let ended = 0;
    const work = (queue: TurnQueue) => async (job: LeasedJob) => {
      const rows = await ground.database.query<{ running: number; total: number }>(
        `SELECT count(*)::int AS running, sum(count(*)) OVER ()::int AS total
         FROM turn_jobs WHERE taken_at IS NOT NULL GROUP BY project_id`,
      );
      if (rows.some(({ running, total }) => running > 3 || total > 7)) over.push(JSON.stringify(rows));
      await delay(2);
      await ground.database.transaction((tx) => queue.settle(tx, job.id));
      ended += 1;
    };
    for (const name of ['a', 'b', 'c']) {
      const queue = await openQueue(await holderCalled(name), limits);
      queue.takeTurns(work(queue), 8);
    }
    await eventually('all turns', async () => {
      await ground.clock.advance(2_000); // a share that another claim held is found by the poll
      return ended === 120;
    });
    expect(over).toEqual([]);
  });

  it('gives a turn to its home alone, until that has left, and to nobody without its executor', async () => {
    const here = await openQueue(await holderCalled('here'));
    await holderCalled('away');
    const taken: string[] = [];
    here.takeTurns(({ attempt_id }) => Promise.resolve(void taken.push(attempt_id)), 4);
    await enqueue(here, numbered(1), newId(), newId(), 'CODEX');
    await insertJobs(1, { home: 'away' });
    await insertJobs(1, { home: 'here' });
    await ground.clock.advance(2_000);
    await eventually('the turn of this home', async () => taken.length === 1 && (await turns()).running === 0);
    await ground.clock.advance(4_000);
    expect([taken.length, await turns()]).toEqual([1, { waiting: 2, running: 0 }]);
    here.onLostTurn(() => Promise.resolve());
    await ground.database.query("UPDATE runners SET left_at = now() WHERE runner_id = 'away'");
    await ground.clock.advance(2_000);
    await eventually('the turn whose home has left', () => taken.length === 2);
    await eventually('its end', async () => (await turns()).running === 0);
    expect(await turns()).toEqual({ waiting: 1, running: 0 });
  });
  it.each([
    ['lacks its executor', offering({ executor: 'CODEX', is_available: true }), 'database', ''],
    ['has its executor no more', offering({ executor: 'SHELL', is_available: false }), 'database', ''],
    ['has just started and has not looked yet', [], 'database', 'home'],
    ['lacks its executor but holds work that is saved nowhere', offering(), 'none', 'home'],
  ] as const)('of a turn whose home %s', async (_, executors, WORKSPACE_STORE, kept) => {
    const queue = await openQueue(await holderCalled('home'), { WORKSPACE_STORE });
    const say = (found: unknown) =>
      ground.database.query(`UPDATE runners SET executors = $1 WHERE runner_id = 'home'`, [JSON.stringify(found)]);
    const homes = async () =>
      (await ground.database.query<{ home: string }>('SELECT home FROM turn_jobs ORDER BY number')).map(
        ({ home }) => home,
      );
    const turn = { attempt_id: newId(), project_id: newId(), executor: 'SHELL', labels: [], home: 'home', priority: 0 };
    const put = () => ground.database.transaction((tx) => queue.enqueue(tx, { ...turn, job_id: newId() }));
    await put();
    await say(executors);
    await put();
    expect(await homes()).toEqual(['home', kept]);
    queue.onLostTurn(() => Promise.resolve());
    await ground.clock.advance(2_000);
    await queue.stop(); // once it has looked
    expect(await homes()).toEqual([kept, kept]);
  });
});
