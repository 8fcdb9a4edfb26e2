import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { createTestDatabase, openTransactions, type TestDatabase } from '../support/database.js';
import { expectNoChildProcesses } from '../support/leaks.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // a dropped database cuts its clients off
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe('a test database', () => {
  it('is migrated, and its writes are seen by nobody else', async () => {
    const other = await createTestDatabase();
    await withClient(database.url, (client) => client.query('CREATE TABLE only_here ()'));
    const tables = await withClient(other.url, (client) =>
      client.query<{ names: string[] }>(
        `SELECT array_agg(tablename::text) AS names FROM pg_tables WHERE schemaname = 'public'`,
      ),
    );
    expect(tables.rows[0]!.names).toEqual(expect.arrayContaining(['schema_migrations', 'tasks']));
    expect(tables.rows[0]!.names).not.toContain('only_here');
    await other.drop();
  });

  it('tells of a transaction that was left open, and goes all the same', async () => {
    const leaky = await createTestDatabase();
    await withClient(leaky.url, async (client) => {
      expect(await openTransactions(leaky.url)).toEqual([]);
      await client.query('BEGIN');
      await client.query('SELECT 1 AS forgotten');
      expect(await openTransactions(leaky.url)).toEqual([
        { pid: expect.any(Number), state: 'idle in transaction', query: 'SELECT 1 AS forgotten' },
      ]);
      await expect(leaky.drop()).rejects.toThrow('forgotten');
    });
    await expect(withClient(leaky.url, () => Promise.resolve())).rejects.toMatchObject({ code: '3D000' });
  });
});

describe('expectNoChildProcesses', () => {
  it('fails while a child of the test lives, and passes after its end', async () => {
    const child = spawn('sleep', ['60']);
    await expect(expectNoChildProcesses(0)).rejects.toThrow(`${child.pid} sleep 60`);
    child.kill();
    await once(child, 'exit');
    await expectNoChildProcesses();
  });
});
