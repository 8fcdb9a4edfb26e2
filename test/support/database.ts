import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  /** Removes the database. @throws when a transaction was left open in it */
  drop(): Promise<void>;
}

export interface OpenTransaction {
  pid: number;
  state: string;
  query: string;
}

const patienceMs = 2_000;

/** A fresh copy of the migrated template, for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = await copyTemplate(randomBytes(4).toString('hex'));
  const url = urlOf(name);
  return { url, drop: () => drop(name, url) };
}

/** The same for all files of this worker, removed when the run is over. @returns its URL */
export async function createSharedDatabase(): Promise<string> {
  const suffix = `shared_${process.env.JEST_WORKER_ID}`;
  await onServer(`DROP DATABASE IF EXISTS ${process.env.TEST_DATABASE_PREFIX}_${suffix} WITH (FORCE)`); // its host died
  return urlOf(await copyTemplate(suffix));
}

async function copyTemplate(suffix: string): Promise<string> {
  const prefix = process.env.TEST_DATABASE_PREFIX!;
  const name = `${prefix}_${suffix}`;
  // as files, which takes half of what it takes to log every page of them
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${prefix}_template STRATEGY file_copy`);
  return name;
}

/** A role of its own in a database, which owns nothing there and has no rights yet.
 *  @returns its name, and the address of the database for it */
export async function createTestRole(database: string) {
  const role = `taskyard_role_${randomBytes(4).toString('hex')}`;
  await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  const url = new URL(database);
  [url.username, url.password] = [role, role];
  const drop = async () => {
    await onServer(`DROP OWNED BY ${role}`, [], database);
    await onServer(`DROP ROLE ${role}`);
  };
  return { role, url: url.href, drop };
}

function urlOf(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** Transactions of other connections to this database, running or idle. */
export function openTransactions(url: string): Promise<OpenTransaction[]> {
  return onServer<OpenTransaction>(
    `SELECT pid, state, left(query, 200) AS query FROM pg_stat_activity
     WHERE datname = $1 AND xact_start IS NOT NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    [new URL(url).pathname.slice(1)],
  );
}

/** @throws when a transaction is left open in the database */
export async function expectNoOpenTransactions(url: string): Promise<void> {
  const open = await lastingTransactions(url);
  if (open.length > 0) throw new Error(`transactions were left open: ${JSON.stringify(open)}`);
}

async function drop(name: string, url: string): Promise<void> {
  await expectNoOpenTransactions(url).finally(() => onServer(`DROP DATABASE ${name} WITH (FORCE)`));
}

/** A statement that is just ending is no leak. */
async function lastingTransactions(url: string): Promise<OpenTransaction[]> {
  const giveUpAt = performance.now() + patienceMs;
  let open = await openTransactions(url);
  while (open.length > 0 && performance.now() < giveUpAt) {
    await delay(20);
    open = await openTransactions(url);
  }
  return open;
}

async function onServer<Row extends pg.QueryResultRow>(
  sql: string,
  values: unknown[] = [],
  connectionString = serverUrl(),
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  return process.env.TEST_DATABASE_URL!;
}
