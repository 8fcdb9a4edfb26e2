import pg from 'pg';
import type { Environment } from '../config/environment.js';
import { requireDatabase } from '../platform/database/required-database.js';
import { actsAsOwner, separateRole } from '../platform/database/roles.js';
import { missingMigrations } from '../migration/schema-state.js';
import { fault, type Finding, look, ok, warning } from './finding.js';

/** A LISTEN session, the queue's pool and the pool itself, twice: a rolling start has old and new side by side. */
const SESSIONS_BESIDE_THE_POOL = 5;
const SKEW_WARNING_MS = 2_000;
const SKEW_FAULT_MS = 60_000;
const MEND = 'Correct DATABASE_URL, and let this machine and its role in (pg_hba.conf, firewall, password).';
const POOLING_MEND =
  'Connect to PostgreSQL directly, or set pool_mode = session: prepared statements, LISTEN and locks live as long as ' +
  'a session.';

/** Everything that can be wrong between this process and its PostgreSQL. */
export async function databaseChecks({
  DATABASE_URL,
  MIGRATION_DATABASE_URL,
  DATABASE_POOL_SIZE,
}: Environment): Promise<Finding[]> {
  if (!DATABASE_URL) return [ok('database', 'embedded, under DATA_DIR: for one process on one machine')];
  const ownerUrl = MIGRATION_DATABASE_URL || DATABASE_URL;
  const reached = await look('database', MEND, async () => {
    await requireDatabase('DATABASE_URL', DATABASE_URL);
    await requireDatabase('MIGRATION_DATABASE_URL', ownerUrl);
    return [ok('database', 'it answers')];
  });
  if (reached.some(({ state }) => state === 'fault')) return reached.map(explainPooler);
  return [
    ...reached,
    ...(await look('session pooling', POOLING_MEND, () => pooling(DATABASE_URL))),
    ...(await look('clock', MEND, () => withClient(DATABASE_URL, clock))),
    ...(await look('schema', MEND, () => withClient(DATABASE_URL, schema))),
    ...(await look('connections', MEND, () => withClient(DATABASE_URL, (client) => room(client, DATABASE_POOL_SIZE)))),
    ...(await look('database roles', MEND, () => roles(DATABASE_URL, ownerUrl))),
  ];
}

const ROLES_MEND = 'Set MIGRATION_DATABASE_URL for the owner, and DATABASE_URL for a role of its own.';

/** Of an empty database the addresses alone tell. */
async function roles(url: string, ownerUrl: string): Promise<Finding[]> {
  const ask = <T extends object>(sql: string) =>
    withClient(url, async (client) => (await client.query(sql)).rows as T[]);
  const isOwner = (await actsAsOwner(ask)) ?? separateRole({ url, ownerUrl }) === null;
  return isOwner
    ? [warning('database roles', 'the server works as the owner of the tables', ROLES_MEND)]
    : [ok('database roles', 'the server works as a role that does not own the tables')];
}

/** PgBouncer in transaction mode refuses the settings of our sessions before anything else. */
const explainPooler = (finding: Finding): Finding =>
  /unsupported startup parameter/.test(finding.what)
    ? { ...finding, about: 'session pooling', mend: POOLING_MEND }
    : finding;

/** Two clients and one server session between them: while the second holds a transaction, the first is given another
 *  session, or both were given the same. */
async function pooling(url: string): Promise<Finding[]> {
  return withClient(url, (first) =>
    withClient(url, async (second) => {
      const before = await backendOf(first);
      await second.query('BEGIN');
      const other = await backendOf(second);
      const after = await backendOf(first);
      await second.query('ROLLBACK');
      return before === after && before !== other
        ? [ok('session pooling', 'each connection is a session of its own')]
        : [fault('session pooling', 'a pooler gives out sessions by the transaction', POOLING_MEND)];
    }),
  );
}

async function backendOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
}

async function clock(client: pg.Client): Promise<Finding[]> {
  const asked = Date.now();
  const { rows } = await client.query<{ now: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const skew = Math.round(rows[0]!.now - (asked + Date.now()) / 2);
  const what = `${Math.abs(skew)} ms ${skew < 0 ? 'ahead of' : 'behind'} the clock of the database`;
  const mend = 'Run a time service (chrony, systemd-timesyncd) on this machine and on that of the database.';
  if (Math.abs(skew) > SKEW_FAULT_MS) return [fault('clock', what, mend)];
  return [Math.abs(skew) > SKEW_WARNING_MS ? warning('clock', what, mend) : ok('clock', what)];
}

async function schema(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ is_there: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there",
  );
  if (!rows[0]!.is_there) return [warning('schema', 'the database is empty', 'Start the server: it migrates.')];
  const applied = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
  const missing = missingMigrations(applied.rows.map(({ name }) => name));
  return missing.length
    ? [warning('schema', `${missing.length} migrations are missing`, 'Start the server: it migrates.')]
    : [ok('schema', 'no migration is missing')];
}

async function room(client: pg.Client, poolSize: number): Promise<Finding[]> {
  const { rows } = await client.query<{ most: number; used: number }>(
    "SELECT current_setting('max_connections')::int AS most, (SELECT count(*)::int FROM pg_stat_activity) AS used",
  );
  const { most, used } = rows[0]!;
  const wanted = poolSize + SESSIONS_BESIDE_THE_POOL;
  const what = `${used} of ${most} connections are in use, and a process of this one's settings takes ${wanted}`;
  if (most - used >= wanted) return [ok('connections', what)];
  return [warning('connections', what, 'Raise max_connections of PostgreSQL, or lower DATABASE_POOL_SIZE.')];
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'taskyard-doctor',
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  client.on('error', () => undefined); // the query under way rejects with it
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
