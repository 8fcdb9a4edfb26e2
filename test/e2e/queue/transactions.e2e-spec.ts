import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnvironment } from '../../../src/config/environment.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('a transaction that is over', () => {
  let test: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    test = await createTestDatabase();
    database = new Database(await openDataSource(test.url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
  });
  afterEach(async () => {
    await database.onApplicationShutdown();
    await test.drop();
  });

  it.each([
    ['statement', () => database.query('SELECT 1 AS one')],
    ['write by entity', async () => database.manager.query('SELECT 1 AS one')],
    ['transaction', () => database.transaction(() => database.query('SELECT 1 AS one'))],
  ])("refuses a %s that nobody awaited in it: its connection is somebody else's", async (_, late) => {
    let forgotten!: Promise<unknown>;
    let goOn!: (value?: unknown) => void;
    const isOver = new Promise((resolve) => (goOn = resolve));
    await database.transaction(async () => {
      forgotten = isOver.then(late); // asked for within it, done after it
      await database.query('SELECT 1 AS one');
    });
    goOn();
    await expect(forgotten).rejects.toThrow('The transaction is over');
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
