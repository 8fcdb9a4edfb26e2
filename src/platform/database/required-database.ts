import pg from 'pg';
import { EnvironmentError } from '../../config/environment.js';

const OLDEST = 150_000;
const CONNECT_WITHIN_MS = 10_000;

/** Looks once whether a setting leads to a PostgreSQL that can be used.
 *  @throws EnvironmentError of one line, without the address and its password */
export async function requireDatabase(setting: string, url: string): Promise<void> {
  const version = await versionOf(url).catch((error: unknown) => {
    throw new EnvironmentError(`${setting} cannot be used: ${reasonOf(error)}`);
  });
  if (version < OLDEST)
    throw new EnvironmentError(
      `${setting} cannot be used: PostgreSQL 15 or later is needed, this is ${Math.floor(version / 10_000)}`,
    );
}

async function versionOf(url: string): Promise<number> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new Error('it must look like postgres://user:password@host:5432/database');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'taskyard-start',
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  });
  client.on('error', () => undefined); // connect() rejects with it
  await client.connect();
  try {
    return Number(
      (await client.query<{ server_version_num: string }>('SHOW server_version_num')).rows[0]!.server_version_num,
    );
  } finally {
    await client.end();
  }
}

/** Several addresses of one host fail as one error without a text. */
function reasonOf(error: unknown): string {
  const { message, errors, code } = error as { message: string; errors?: Error[]; code?: string };
  return (message || errors?.[0]?.message || code || 'it does not respond').replace(/\s+/g, ' ');
}
