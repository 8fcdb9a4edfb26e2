import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { toAppError } from '../../../src/platform/errors/to-app-error.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** Two writers of the same rows, as PostgreSQL itself ends their quarrel. */
describe('writers that meet', () => {
  let database: TestDatabase;
  let clients: pg.Client[];
  beforeAll(async () => {
    database = await createTestDatabase();
    clients = [new pg.Client(database.url), new pg.Client(database.url)];
    for (const client of clients) {
      await client.connect();
      await client.query("SET deadlock_timeout = '10ms'");
    }
    await clients[0]!.query('CREATE TABLE pairs AS SELECT id, 0 AS value FROM generate_series(1, 2) id');
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await database.drop();
  });
  const write = (client: pg.Client, id: number) =>
    client.query('UPDATE pairs SET value = value + 1 WHERE id = $1', [id]);
  const refusalOf = (results: PromiseSettledResult<unknown>[]) =>
    results.flatMap((result) => (result.status === 'rejected' ? [toAppError(result.reason)] : []));

  it('in a circle are told to retry', async () => {
    const [first, second] = clients as [pg.Client, pg.Client];
    for (const client of clients) await client.query('BEGIN');
    await write(first, 1);
    await write(second, 2);
    const refused = refusalOf(await Promise.allSettled([write(first, 2), write(second, 1)]));
    for (const client of clients) await client.query('ROLLBACK');
    expect(refused).toMatchObject([{ code: 'write_conflict', row: { retryable: true, status: 503 } }]);
  });

  it('upon a snapshot that is over are told to retry', async () => {
    const [first, second] = clients as [pg.Client, pg.Client];
    await first.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await first.query('SELECT value FROM pairs');
    await write(second, 1);
    const refused = refusalOf(await Promise.allSettled([write(first, 1)]));
    await first.query('ROLLBACK');
    expect(refused).toMatchObject([{ code: 'write_conflict' }]);
  });
});
