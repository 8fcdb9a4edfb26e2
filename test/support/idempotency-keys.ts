import { expect } from '@jest/globals';
import type { Json } from './mcp-client.js';
import pg from 'pg';
import { eventually } from './eventually.js';
import type { TestServer } from './server.js';

export interface HeldKey {
  /** Once a call waits for the key. */
  untilSomebodyWaits(): Promise<void>;
  /** The first request ends: with a result, or without an effect. */
  commit(result: object): Promise<void>;
  rollback(): Promise<void>;
}

/** A first request with this key that is still at work, in a transaction outside the server. */
export async function holdKey(
  server: TestServer,
  operation: string,
  key: string,
  request_hash = 'of another request',
): Promise<HeldKey> {
  const first = new pg.Client({ connectionString: server.database.url });
  await first.connect();
  await first.query('BEGIN');
  await first.query(
    `INSERT INTO idempotency_keys (operation, principal_id, key, request_hash, state, created_at, updated_at)
     VALUES ($1, 'local-owner', $2, $3, 'in_progress', now(), now())`,
    [operation, key, request_hash],
  );
  const { pid } = (await first.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!;
  const finish = async (statement: string) => {
    await first.query(statement);
    await first.end();
  };
  return {
    untilSomebodyWaits: async () => {
      const blocked =
        'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND $1 = ANY(pg_blocking_pids(pid))';
      await eventually('a call that waits for the key', async () => (await server.query(blocked, [pid])).length > 0);
    },
    commit: async (result) => {
      await first.query("UPDATE idempotency_keys SET state = 'completed', result = $2 WHERE key = $1", [
        key,
        JSON.stringify(result),
      ]);
      await finish('COMMIT');
    },
    rollback: () => finish('ROLLBACK'),
  };
}

/** One answers for its work, and the others replay it. */
export function expectOneEffect(answers: Json[]): void {
  const [first, ...others] = answers.toSorted((one, other) => Number('replayed' in one) - Number('replayed' in other));
  expect(others).toEqual(others.map(() => ({ ...first, replayed: true })));
}
