import pg from 'pg';
import { BackupError } from './archive.js';

/** Text as COPY writes it is read the same wherever it is restored. */
const SETTINGS = `
  SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET bytea_output = 'hex'; SET extra_float_digits = 1;
  SET timezone = 'UTC'; SET search_path = public; SET statement_timeout = 0;
  SET idle_in_transaction_session_timeout = 0`;

const HEARD = `
  SELECT runner_id
  FROM runners
  WHERE left_at IS NULL AND seen_at > now() - interval '10 seconds'
  LIMIT 1`;

/** A session of its own, whose statements may take as long as they need. */
export async function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'taskyard-backup', keepAlive: true });
  client.on('error', () => undefined); // the statement that runs is rejected with it
  await client.connect();
  await client.query(SETTINGS);
  return client;
}

export async function hasSchema(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `SELECT to_regclass('public.schema_migrations') IS NOT NULL AND to_regclass('public.runners') IS NOT NULL
       AS is_there`,
  );
  return rows[0]!.is_there;
}

/** @throws BackupError where a server was heard of within a lease */
export async function requireNoServer(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(HEARD);
  if (rowCount) throw new BackupError('a server uses this database, or did 10 s ago: stop it');
}
