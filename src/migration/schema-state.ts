import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';

const LOOK_EVERY_MS = 500;
/** What a table says that is not made yet, or not granted to this role yet: rights come with the last migration. */
const NOT_YET: Readonly<Record<string, string>> = {
  '42P01': 'missing migrations: all',
  42501: 'its tables are not granted to this role yet',
};

/** The last one that this server brings. */
export const newestMigration = migrations.at(-1)!.name;

/** Of this server's migrations; those of a newer server may be applied, too. */
export const missingMigrations = (applied: readonly string[]): string[] =>
  migrations.map(({ name }) => name).filter((name) => !applied.includes(name));

type Ask = <T extends object>(sql: string) => Promise<T[]>;

/** Why this server cannot serve the schema as it is, or null. */
export async function schemaFault(ask: Ask): Promise<string | null> {
  const applied = await ask<{ name: string }>('SELECT name FROM schema_migrations');
  const missing = missingMigrations(applied.map(({ name }) => name));
  return missing.length === 0 ? null : `missing migrations: ${missing.join(', ')}`;
}

/** Returns once another process has brought the schema up to date.
 *  @param tell why it still waits, whenever that is something else */
export async function untilMigrated(url: string, tell: (reason: string) => Promise<void>): Promise<void> {
  let said = '';
  for (;;) {
    const fault = await lookOnce(url);
    if (fault === null) return;
    if (fault !== said) {
      await tell(`waiting for the schema: ${fault}`); // whoever reads of it may ask
      new Logger('Database').warn(`waiting for the schema: ${fault}`);
    }
    said = fault;
    await delay(LOOK_EVERY_MS);
  }
}

async function lookOnce(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, application_name: 'taskyard-migrate' });
  client.on('error', () => undefined); // the query rejects with the same
  try {
    await client.connect();
    return await schemaFault(async <T extends object>(sql: string) => (await client.query(sql)).rows as T[]);
  } catch (error) {
    const reason = NOT_YET[(error as { code?: string }).code ?? ''];
    if (reason === undefined) throw error;
    return reason;
  } finally {
    await client.end().catch(() => undefined); // it is gone already
  }
}
