import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../migration/migrate.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the role of the server in the embedded database (S18)', () => {
  let dataDir: string;
  let server: EmbeddedPostgres;
  const password = (): string => path.join(realpathSync(dataDir), 'postgres', 'app-password');

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-role-'));
    execFileSync('chmod', ['711', dataDir]);
    server = await startEmbeddedPostgres(dataDir);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is none that owns, makes or rules anything; its password is for this user alone', async () => {
    const roles = await query(
      server.appUrl,
      `SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(roles).toEqual([
      {
        rolname: 'taskyard_app',
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
      },
    ]);
    expect(statSync(password()).mode & 0o777).toBe(0o600);
    await expect(query(server.appUrl, 'CREATE TABLE more (id int)')).rejects.toMatchObject({ code: '42501' });
    await expect(query(server.appUrl, "SELECT pg_read_file('PG_VERSION')")).rejects.toMatchObject({ code: '42501' });
    await expect(query(server.appUrl, "COPY (SELECT 1) TO PROGRAM 'true'")).rejects.toMatchObject({ code: '42501' });
  });

  it('is added to a data folder of an earlier release, whose tables it may then use', async () => {
    await migrate(server.url);
    await query(server.url, 'DROP OWNED BY taskyard_app');
    await query(server.url, 'DROP ROLE taskyard_app');
    rmSync(password());
    await server.stop();
    server = await startEmbeddedPostgres(dataDir);
    await migrate(server.url, 'taskyard_app');
    expect(await query(server.appUrl, 'SELECT number FROM audit_log')).toEqual([]);
    await expect(query(server.appUrl, 'DELETE FROM audit_log')).rejects.toMatchObject({ code: '42501' });
  });
});
