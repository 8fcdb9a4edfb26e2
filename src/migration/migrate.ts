import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { grantTo } from './grants.js';
import { installQueues } from '../cluster/job-queues.js';

/** Serialises servers that start together. */
const MIGRATION_LOCK = 7_242_110_021;

/** Brings the schema up to date: our migrations and the queue's own, under one advisory lock.
 *  @param url of the role that owns the tables
 *  @param appRole the server's own role, where there is one @returns how many of our migrations ran */
export async function migrate(url: string, appRole: string | null = null): Promise<number> {
  const lock = new pg.Client({ connectionString: url, application_name: 'taskyard-migrate' });
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const ran = await runMigrations(url);
    await installQueues(url);
    if (appRole !== null) await grantTo(lock, appRole);
    return ran;
  } finally {
    await lock.end();
  }
}

async function runMigrations(url: string): Promise<number> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    migrations,
    migrationsTableName: 'schema_migrations',
    poolSize: 1,
  }).initialize();
  try {
    return (await dataSource.runMigrations({ transaction: 'each' })).length;
  } finally {
    await dataSource.destroy();
  }
}
