// Jest loads this file outside its module mapping, so it is plain JavaScript over the built code (`pretest` builds).
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../dist/src/migration/migrate.js';
import { openDatabaseFolder, openRunFolder } from './support/run-folder.mjs';
import { startServerHosts } from './support/server-hosts.mjs';

/** One database server for the whole run, TEST_DATABASE_URL or the embedded one, with one migrated template that each
 *  test file copies; and a host for the servers of each worker. */
export default async function setup({ maxWorkers }) {
  const folder = openRunFolder();
  const databaseFolder = openDatabaseFolder();
  const server = process.env.TEST_DATABASE_URL ? undefined : await startEmbeddedPostgres(databaseFolder);
  globalThis.__TEST_RUN__ = { folder, databaseFolder, server };
  // Jest runs no teardown after a failed setup or a signal, and the server outlives its parent by design.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void abandon().finally(() => process.exit(130)));
  if (server) await hurry(server.url);
  process.env.TEST_DATABASE_URL ??= server.url;
  process.env.TEST_DATABASE_PREFIX = `taskyard_test_${randomBytes(4).toString('hex')}`;
  try {
    await makeTemplate(process.env.TEST_DATABASE_URL, `${process.env.TEST_DATABASE_PREFIX}_template`);
    process.env.TEST_SERVER_HOSTS = path.join(folder, 'servers');
    globalThis.__TEST_RUN__.stopHosts = await startServerHosts(process.env.TEST_SERVER_HOSTS, maxWorkers);
  } catch (error) {
    await abandon();
    throw error;
  }
}

async function abandon() {
  const { folder, databaseFolder, server, stopHosts } = globalThis.__TEST_RUN__;
  await stopHosts?.();
  await server?.stop();
  for (const made of [databaseFolder, folder]) rmSync(made, { recursive: true, force: true });
}

/** No test ends this server but the run itself, so nothing has to survive its crash. */
async function hurry(url) {
  await run(url, 'ALTER SYSTEM SET synchronous_commit = off');
  await run(url, 'ALTER SYSTEM SET full_page_writes = off');
  await run(url, 'ALTER SYSTEM SET fsync = off');
  await run(url, 'SELECT pg_reload_conf()');
}

async function makeTemplate(base, name) {
  await run(base, `CREATE DATABASE ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  await migrate(url.href);
  await run(base, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`); // a connection to it would make copying fail
}

async function run(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
