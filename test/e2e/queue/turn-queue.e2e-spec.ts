import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../src/platform/database/uuid.js';
import { eventually } from '../../support/eventually.js';
import { numbered, useQueue } from '../../support/queue-ground.js';

describe('the queue of turns', () => {
  const ground = useQueue();
  const { openQueue, holderCalled, enqueue, turns, insertJobs } = ground;

  it('drains a backlog of 120 on 4 places in the order of its project, each freed place taken at once', async () => {
    const [queue, project] = [await openQueue(), newId()];
    const expected = Array.from({ length: 120 }, (_, at) => numbered(at));
    for (const attempt_id of expected) await enqueue(queue, attempt_id, newId(), project);
    const taken: string[] = [];
    let most = 0;
    let live = 0;
    queue.takeTurns(async ({ id, attempt_id }) => {
      taken.push(attempt_id);
      most = Math.max(most, (live += 1));
      await ground.database.transaction((tx) => queue.settle(tx, id));
      live -= 1;
    }, 4);
    await eventually('120 turns', () => taken.length === 120);
    expect([taken.toSorted(), most]).toEqual([expected, 4]);
    expect(taken.slice(0, 4).toSorted()).toEqual(expected.slice(0, 4));
    await eventually('an empty queue', async () => (await turns()).running === 0);
  });

  it('takes the first turn of a project next or after next, behind 5 000 of another project', async () => {
    const [ours, theirs] = [newId(), newId()];
    await insertJobs(5_000, { project: ours });
    const queue = await openQueue();
    const taken: string[] = [];
    const done = new Promise<void>((resolve) =>
      queue.takeTurns(async ({ attempt_id }) => {
        taken.push(attempt_id);
        if (taken.length === 80) resolve();
        if (taken.length !== 50) return;
        for (let at = 0; at < 3; at += 1) await enqueue(queue, numbered(at), newId(), theirs);
      }, 1),
    );
    await done;
    const places = [0, 1, 2].map((at) => taken.indexOf(numbered(at)) - 50);
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[0]).toBeLessThanOrEqual(1);
    for (const [before, place] of [places.slice(0, 2), places.slice(1)]) {
      expect(place).toBeGreaterThan(before!);
      expect(place).toBeLessThanOrEqual(before! + 2); // the other project has no more than every second place
    }
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
    const queue = await openQueue();
    let taken = 0;
    queue.takeTurns(() => Promise.resolve(void (taken += 1)), 2);
    await insertJobs(1);
    await ground.clock.advance(2_000);
    await eventually('the turn', () => taken === 1);
  });

  it('hears of a turn that is enqueued while it rests, and not of one that is rolled back', async () => {
    const queue = await openQueue();
    const taken: string[] = [];
    queue.takeTurns(({ attempt_id }) => Promise.resolve(void taken.push(attempt_id)), 2);
    const undone = ground.database.transaction(async (tx) => {
      const turn = { job_id: newId(), attempt_id: numbered(1), project_id: newId(), executor: 'SHELL' };
      await queue.enqueue(tx, { ...turn, labels: [], home: null, priority: 0 });
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
    queue.takeTurns(() => new Promise<void>((resolve) => ends.push(resolve)), 3);
    await eventually('three turns', () => ends.length === 3);
    queue.onModuleDestroy();
    ends[0]!(); // its place is free now, and stays so
    await ground.clock.advance(4_000);
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
      ground.database.query(
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
    await ground.database.query(
      "UPDATE runners SET seen_at = now() - interval '11 seconds' WHERE runner_id = 'silent'",
    );
    await ground.database.query("UPDATE runners SET left_at = now() WHERE runner_id = 'left'");
    queue.onLostTurn(async ({ attempt_id, job_id }) => {
      lost.push(attempt_id);
      await ground.database.transaction((tx) => queue.settle(tx, job_id));
    });
    await ground.clock.advance(2_000);
    await eventually('three lost turns', () => lost.length >= 3);
    await eventually('their ends', async () => (await turns()).running === 1);
    await ground.clock.advance(2_000); // another look
    expect(lost.toSorted()).toEqual([1, 2, 3].map(numbered));
  });

  it('hands what its handler gave up to the same end', async () => {
    const queue = await openQueue();
    await enqueue(queue, numbered(1));
    const lost: string[] = [];
    queue.onLostTurn(async ({ attempt_id, job_id }) => {
      lost.push(attempt_id);
      await ground.database.transaction((tx) => queue.settle(tx, job_id)); // else it is handed out again
    });
    queue.takeTurns(() => Promise.reject(new Error('a fault')), 1);
    await eventually('its end', async () => {
      await ground.clock.advance(2_000);
      return lost.join() === numbered(1);
    });
  });

  it('takes nothing more once another server runs in its place', async () => {
    const queue = await openQueue();
    ground.runner.abort(new Error('another server runs in the place of this one'));
    let taken = 0;
    queue.takeTurns(() => Promise.resolve(void (taken += 1)), 1);
    await enqueue(queue, numbered(1));
    await ground.clock.advance(4_000);
    expect([taken, await turns()]).toEqual([0, { waiting: 1, running: 0 }]);
  });
});
