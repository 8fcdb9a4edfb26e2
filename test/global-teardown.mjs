import { rmSync } from 'node:fs';
import pg from 'pg';
import { closeRunFolder } from './support/run-folder.mjs';

/** Removes the databases and the server of the run. @throws when a test file left its database or a temporary
 *  file behind */
export default async function teardown() {
  const { folder, databaseFolder, server, stopHosts } = globalThis.__TEST_RUN__;
  await stopHosts();
  const databases = await dropDatabases(process.env.TEST_DATABASE_URL, process.env.TEST_DATABASE_PREFIX);
  await server?.stop();
  rmSync(databaseFolder, { recursive: true, force: true });
  const left = [...databases, ...closeRunFolder(folder)];
  if (left.length > 0) throw new Error(`tests left databases or temporary files behind: ${left.join(', ')}`);
}

async function dropDatabases(url, prefix) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix]);
  for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  await client.end();
  return rows
    .map(({ datname }) => datname.slice(prefix.length))
    .filter((name) => !/^_(template|shared_\d+)$/.test(name));
}
