import { describe, expect, it } from '@jest/globals';
import { loadEnvironment } from '../../../src/config/environment.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/database/uuid.js';
import { TurnJobs } from '../../../src/platform/queue/turn-jobs.js';
import { FragileLine } from '../../support/fragile-line.js';
import { useQueue } from '../../support/queue-ground.js';

const NO_CAPS = { MAX_CONCURRENT_PER_PROJECT: 0, MAX_CONCURRENT_PER_EXECUTOR: {}, RUNNER_LOST_SECS: 60 };

describe('the lease of a turn that was taken', () => {
  const ground = useQueue();

  async function taken() {
    const holder = await ground.holderCalled('me');
    await ground.insertJobs(1);
    const [job] = await new TurnJobs(ground.database, holder, NO_CAPS).claim(1);
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

  it('is of nobody where the home of the next turn is gone: any runner may take that', async () => {
    const me = await ground.holderCalled('me');
    await ground.holderCalled('away');
    const jobs = new TurnJobs(ground.database, me, NO_CAPS);
    const attempt_id = await ground.attemptOf('away');
    const turn = { attempt_id, project_id: newId(), executor: 'SHELL' };
    await ground.database.transaction((tx) => jobs.enqueue(tx, { ...turn, job_id: newId() }));
    expect(await jobs.claim(1)).toEqual([]);
    await ground.database.query("UPDATE runners SET seen_at = now() - interval '61 seconds' WHERE runner_id = 'away'");
    const next = newId();
    await ground.database.transaction((tx) => jobs.enqueue(tx, { ...turn, job_id: next }));
    expect((await jobs.claim(1)).map(({ id }) => id)).toEqual([next]);
  });

  it('goes back to the queue where the answer to its claim was lost, and no other does', async () => {
    const line = await FragileLine.open();
    line.lead(ground.test.url);
    const source = await openDataSource(line.addressFor(ground.test.url), loadEnvironment({ DATA_DIR: '/tmp' }), []);
    const jobs = new TurnJobs(new Database(source), await ground.holderCalled('me'), NO_CAPS);
    await ground.insertJobs(2);
    const [heard] = await jobs.claim(1);
    line.loseAnswerTo('SET taken_at = now()');
    await expect(jobs.claim(1)).rejects.toThrow();
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
    const jobs = new TurnJobs(ground.database, holder, NO_CAPS);
    expect(await jobs.claim(2)).toHaveLength(1);
    await expect(jobs.claim(1)).rejects.toThrow('a fault');
    expect(await ground.turns()).toEqual({ waiting: 1, running: 1 });
  });
});
