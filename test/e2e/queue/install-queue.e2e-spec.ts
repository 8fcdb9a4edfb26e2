import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { installQueue } from '../../../src/platform/queue/install-queue.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('the queue of an older installation', () => {
  let test: TestDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    test = await createTestDatabase();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await test.drop();
  });

  async function withBoss(work: (boss: PgBoss) => Promise<void>): Promise<void> {
    const boss = new PgBoss({ connectionString: test.url, schema: 'queue', supervise: false, schedule: false });
    await boss.start();
    await work(boss);
    await boss.stop({ graceful: false });
  }

  it('keeps its housekeeping under the new name, also what was under way; schedules are set anew', async () => {
    await withBoss(async (boss) => {
      await boss.createQueue('chores', { retryLimit: 5 });
      for (const kind of ['done', 'under way', 'waiting']) await boss.send('chores', { kind });
      const [done] = await boss.fetch<object>('chores');
      await boss.complete('chores', done!);
      await boss.fetch('chores');
      await boss.schedule('chores', '7 * * * *', { kind: 'prune_records' }, { key: 'prune_records' });
    });
    await installQueue(test.url);
    const jobs = await client.query(`SELECT name, data->>'kind' AS kind, state FROM queue.job ORDER BY created_on`);
    expect(jobs.rows).toEqual([
      { name: 'housekeeping', kind: 'under way', state: 'active' },
      { name: 'housekeeping', kind: 'waiting', state: 'created' },
    ]);
    expect((await client.query(`SELECT 1 FROM queue.queue WHERE name = 'chores'`)).rows).toEqual([]);
    expect((await client.query('SELECT 1 FROM queue.schedule')).rows).toEqual([]);
  });

  it('lifts the time limit of turns, those that wait or run included', async () => {
    await withBoss(async (boss) => {
      await boss.updateQueue('runs', { expireInSeconds: 23 * 3600 });
      await boss.send('runs', { attempt_id: 'a' });
    });
    await installQueue(test.url);
    const { rows } = await client.query(
      `SELECT q.expire_seconds AS queue, j.expire_seconds AS job
       FROM queue.queue q JOIN queue.job j ON j.name = q.name WHERE q.name = 'runs'`,
    );
    expect(rows).toEqual([{ queue: 2 ** 31 - 1, job: 2 ** 31 - 1 }]);
  });
});
