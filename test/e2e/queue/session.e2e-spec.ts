import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, openTransactions, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { ManualClock } from '../../support/manual-clock.js';
import { ListenConnection } from '../../../src/platform/database/listen-connection.js';

describe('the session of a process', () => {
  let test: TestDatabase;
  let clock: ManualClock;
  let connection: ListenConnection;

  beforeEach(async () => {
    test = await createTestDatabase();
    clock = new ManualClock();
    connection = new ListenConnection(test.url, () => Promise.resolve(), clock);
    await connection.open();
  });
  afterEach(async () => {
    await connection.close();
    await test.drop();
  });

  it('outlives a stall of the process: the answer that waits is read before it is judged', async () => {
    const asked = connection.query('SELECT 1 AS one', []);
    await new Promise<void>((resolve) =>
      setTimeout(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); // the answer comes, and nobody reads it
        void clock.jump(60_000);
        resolve();
      }, 10),
    );
    expect([await asked, connection.number]).toEqual([[{ one: 1 }], 1]);
  });

  it('bears answers that take four seconds, and no silence', async () => {
    const asked = connection.query('SELECT pg_sleep(600)', []);
    const refused = expect(asked).rejects.toThrow('Connection terminated unexpectedly');
    let isOver = false;
    void refused.then(() => (isOver = true));
    const statement = await eventually('the statement', async () => (await openTransactions(test.url))[0]);
    await clock.advance(4_000);
    expect(isOver).toBe(false);
    await clock.advance(2_000);
    await refused;
    const beside = new ListenConnection(test.url, () => Promise.resolve());
    await beside.open();
    await beside.query('SELECT pg_terminate_backend($1)', [statement!.pid]);
    await beside.close();
  });
});
