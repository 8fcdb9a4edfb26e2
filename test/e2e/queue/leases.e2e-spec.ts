import { describe, expect, it } from '@jest/globals';
import { loadEnvironment } from '../../../src/config/environment.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/database/uuid.js';
import { TurnClaims } from '../../../src/cluster/turn-claims.js';
import { eventually } from '../../support/eventually.js';
import { FragileLine } from '../../support/fragile-line.js';
import { NO_CAPS, useQueue } from '../../support/queue-ground.js';

describe('the lease of a turn that was taken', () => {
  const ground = useQueue();

  async function taken() {
    const holder = await ground.holderCalled('me');
    await ground.insertJobs(1);
    const [job] = await new TurnClaims(ground.database, holder, NO_CAPS).claim(1);
    return job!;
  }

  it('is held while its process renews', async () => {
    expect(await (await taken()).isHeld()).toBe(true);
  });

  it.each([
    ['has been silent for too long', "UPDATE runners SET seen_at = now() - interval '11 seconds'"],
    ['has left', 'UPDATE runners SET left_at = now()'],
    ['lives another life', 'UPDATE runners SET incarnation = gen_random_uuid()'],
    ['is forgotten', 'DELETE FROM runners'],
    ['lives, and the turn was handed out again', "UPDATE turn_jobs SET incarnation = 'b', runner_id = 'other'"],
    ['lives, and the turn waits again', 'UPDATE turn_jobs SET incarnation = NULL, runner_id = NULL, taken_at = NULL'],
    ['lives, and the turn is over', 'DELETE FROM turn_jobs'],
  ])('is not where its process %s', async (_, change) => {
    const job = await taken();
    await ground.database.query(change.replace("'b'", `'${newId()}'`));
    expect(await job.isHeld()).toBe(false);
  });

  it.each([
    ['has been silent for too long', "UPDATE runners SET seen_at = now() - interval '11 seconds'"],
    ['has left', 'UPDATE runners SET left_at = now()'],
    ['lives another life', 'UPDATE runners SET incarnation = gen_random_uuid()'],
  ])('is given to no process that %s, though it does not know yet', async (_, change) => {
    const claims = new TurnClaims(ground.database, await ground.holderCalled('me'), NO_CAPS);
    await ground.insertJobs(1);
    await ground.database.query(change);
    expect(await claims.claim(1)).toEqual([]);
    expect(await ground.turns()).toEqual({ waiting: 1, running: 0 });
  });

  it('stays with a process that is alone, however long it sleeps', async () => {
    const job = await taken();
    await ground.database.query("UPDATE runners SET secret_print = '', seen_at = now() - interval '1 hour'");
    const queue = await ground.openQueue(await ground.holderCalled('beside'));
    const lost: string[] = [];
    queue.onLostTurn(({ job_id }) => Promise.resolve(void lost.push(job_id)));
    await ground.clock.advance(2_000);
    await eventually('a look', async () => (await ground.turns()).running === 1);
    expect([await job.isHeld(), lost]).toEqual([true, []]);
  });

  it('fences the end of a turn: who wakes late leaves the job to whoever has it now', async () => {
    const queue = await ground.openQueue();
    await ground.insertJobs(1);
    const other = await ground.holderCalled('other');
    const isOver = new Promise<void>((resolve) =>
      queue.takeTurns(async () => {
        await ground.database.query("UPDATE turn_jobs SET runner_id = 'other', incarnation = $1", [other.incarnation]);
        resolve();
      }, 1),
    );
    await isOver;
    await queue.stop();
    expect(await ground.database.query('SELECT runner_id FROM turn_jobs')).toEqual([{ runner_id: 'other' }]);
  });

  it('is locked by its own life alone: of two that end a lost turn the second finds nothing', async () => {
    const queue = await ground.openQueue(await ground.holderCalled('next'));
    const job = await taken();
    const turn = { job_id: job.id, attempt_id: job.attempt_id, incarnation: job.incarnation };
    const locked = () => ground.database.transaction((tx) => queue.lock(tx, turn));
    expect(await locked()).toBe(true);
    await ground.database.transaction((tx) => queue.giveBack(tx, turn));
    expect(await locked()).toBe(false);
    await new TurnClaims(ground.database, await ground.holderCalled('other'), NO_CAPS).claim(1);
    expect([await locked(), await ground.turns()]).toEqual([false, { waiting: 0, running: 1 }]);
  });

  it('is of nobody where the home of the next turn is gone: any runner may take that', async () => {
    const me = await ground.holderCalled('me');
    await ground.holderCalled('away');
    const queue = await ground.openQueue(me);
    const claims = new TurnClaims(ground.database, me, NO_CAPS);
    const turn = { attempt_id: newId(), project_id: newId(), executor: 'SHELL', labels: [], home: 'away', priority: 0 };
    await ground.database.transaction((tx) => queue.enqueue(tx, { ...turn, job_id: newId() }));
    expect(await claims.claim(1)).toEqual([]);
    await ground.database.query("UPDATE runners SET seen_at = now() - interval '61 seconds' WHERE runner_id = 'away'");
    const next = newId();
    await ground.database.transaction((tx) => queue.enqueue(tx, { ...turn, job_id: next }));
    expect((await claims.claim(1)).map(({ id }) => id)).toEqual([next]);
  });

  it('goes back to the queue where the answer to its claim was lost, and no other does', async () => {
    const line = await FragileLine.open();
    line.lead(ground.test.url);
    const source = await openDataSource(line.addressFor(ground.test.url), loadEnvironment({ DATA_DIR: '/tmp' }), []);
    const jobs = new TurnClaims(new Database(source), await ground.holderCalled('me'), NO_CAPS);
    await ground.insertJobs(2);
    const [heard] = await jobs.claim(1);
    line.loseAnswerTo('SET taken_at = now()');
    await expect(jobs.claim(1)).rejects.toThrow();
    await eventually('the claim', async () => (await ground.turns()).running === 2);
    expect([await ground.turns(), await jobs.claim(1)]).toEqual([{ waiting: 0, running: 2 }, []]);
    expect([await jobs.giveBackUnheard(), await jobs.giveBackUnheard()]).toEqual([true, false]);
    expect([await heard!.isHeld(), (await jobs.claim(1)).length]).toEqual([true, 1]);
    await source.destroy();
    await line.close();
  });

  it('stands where the claim of the next one fails', async () => {
    const holder = await ground.holderCalled('me');
    await ground.insertJobs(2, { project: newId() });
    await ground.database.query(`
      UPDATE turn_jobs SET priority = -1 WHERE number = (SELECT max(number) FROM turn_jobs);
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a fault'; END $$;
      CREATE TRIGGER second BEFORE UPDATE ON turn_jobs FOR EACH ROW WHEN (OLD.priority < 0) EXECUTE FUNCTION fail();
    `);
    const jobs = new TurnClaims(ground.database, holder, NO_CAPS);
    expect(await jobs.claim(2)).toHaveLength(1);
    // the share is free a moment after the fault was told
    const meetsFault = () =>
      jobs.claim(1).then(
        () => false,
        (error: Error) => error.message === 'a fault',
      );
    await eventually('the same fault', meetsFault);
    expect(await ground.turns()).toEqual({ waiting: 1, running: 1 });
  });
});
