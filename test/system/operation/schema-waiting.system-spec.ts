import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import { migrate } from '../../../src/migration/migrate.js';
import { ownPort } from '../../support/own-port.js';
import { createTestDatabase, createTestRole, type TestDatabase } from '../../support/database.js';
import { Program } from '../../support/program.js';
import { CLUSTER_SECRET } from '../../support/server.js';

describe('a server that may not change the schema', () => {
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const start = (more: Record<string, string>) =>
    Program.start('main', [], {
      DATABASE_URL: database.url,
      DATA_DIR: path.join(folder, more.ROLE ?? 'all'),
      PORT: '0',
      INTERNAL_PORT: '0',
      INTERNAL_ADDRESS: '127.0.0.1:0',
      CLUSTER_SECRET,
      TASKFLOW_SERVICE_TOKEN: 'a-token',
      ...more,
    });
  const query = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const ready = async (server: Program) => {
    const [, url] = await server.says(/(http:\/\/127\.0\.0\.1:\d+)\/(?:mcp|health\/ready)\n/);
    const [readiness, liveness] = await Promise.all(['ready', 'live'].map((probe) => fetch(`${url}/health/${probe}`)));
    return { status: readiness!.status, isLive: liveness!.status === 200 };
  };

  const probesOf = (port: string) =>
    Promise.all(
      ['health/live', 'health/ready', 'api/projects'].map(async (place) => {
        const answer = await fetch(`http://127.0.0.1:${port}/${place}`);
        return [answer.status, await answer.json()];
      }),
    );

  it('waits, whatever its role, and serves once another has brought it up to date', async () => {
    const older = await new DataSource({
      type: 'postgres',
      url: database.url,
      migrations,
      migrationsTableName: 'schema_migrations',
    }).initialize();
    await older.undoLastMigration();
    await older.destroy();
    const port = String(await ownPort());
    const waiting = [
      start({ ROLE: 'api', PORT: port }),
      start({ ROLE: 'runner' }),
      start({ ROLE: 'all', MIGRATE: 'off' }),
    ];
    for (const server of waiting)
      await server.says(new RegExp(`waiting for the schema: missing migrations: ${migrations.at(-1)!.name}"`));
    for (const { stdout } of waiting) expect(JSON.parse(stdout)).toMatchObject({ level: 'warn', context: 'Database' });
    expect(await probesOf(port)).toEqual([
      [200, { status: 'ok' }],
      [503, { status: expect.stringMatching(/^waiting for the schema: missing migrations: /) }],
      [503, { status: expect.stringMatching(/^waiting for the schema: /) }],
    ]);
    await migrate(database.url);
    for (const server of waiting) expect(await ready(server)).toMatchObject({ status: 200, isLive: true });
    for (const server of waiting) expect(await server.end()).toBe(0);
  });

  it('waits for the rights on what is migrated just now', async () => {
    const { role, url, drop } = await createTestRole(database.url);
    const server = start({ ROLE: 'api', DATABASE_URL: url });
    await server.says(/waiting for the schema: its tables are not granted to this role yet/);
    await migrate(database.url, role);
    expect(await ready(server)).toMatchObject({ status: 200, isLive: true });
    expect(server.stdout).not.toContain('may act as the owner');
    expect(await server.end()).toBe(0);
    await drop();
  });

  it('warns where its role may act as the owner of the tables', async () => {
    const server = start({ ROLE: 'api' });
    await server.says(/names a role that may act as the owner of the tables/);
    expect(await server.end()).toBe(0);
  });

  it('serves a newer schema', async () => {
    await query("INSERT INTO schema_migrations (timestamp, name) VALUES (9999999999999, 'AddLater9999999999999')");
    const server = start({ ROLE: 'api' });
    expect(await ready(server)).toMatchObject({ status: 200, isLive: true });
    expect(await server.end()).toBe(0);
  });
});
