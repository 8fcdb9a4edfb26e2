import pg from 'pg';
import { EmbeddedPostgresError } from './embedded-error.js';
import type { Postmaster } from './postmaster.js';

const wrongPassword = '28P01';

type Listening = Pick<Postmaster, 'port' | 'socketFolder'>;

/** Of this machine only, so without TLS whatever PGSSLMODE says. */
export function urlOf({ port, socketFolder }: Listening, password: string): string {
  const host = socketFolder === '' ? '127.0.0.1' : encodeURIComponent(socketFolder);
  return `postgres://postgres:${password}@${host}:${port}/postgres?sslmode=disable`;
}

/** Whether the server that listens there lets us in and is the one of this cluster.
 *  @throws EmbeddedPostgresError when it refuses our password */
export async function answers(server: Listening, password: string, cluster: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf(server, password), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the server may go away between two of our steps
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory === cluster;
  } catch (error) {
    if ((error as { code?: string }).code !== wrongPassword) return false;
    throw new EmbeddedPostgresError(
      `The database in ${cluster} refuses the password stored beside it: restore the file, or set DATABASE_URL.`,
    );
  } finally {
    await client.end().catch(() => undefined); // the answer is there; whether the goodbye arrives is all the same
  }
}
