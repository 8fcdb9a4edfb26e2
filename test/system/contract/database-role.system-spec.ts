import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { separateRole } from '../../../src/platform/database/roles.js';
import { migrate } from '../../../src/migration/migrate.js';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import { createTestDatabase, createTestRole, type TestDatabase } from '../../support/database.js';
import type { Json } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

let role: string;
let dropRole: () => Promise<void>;
let database: TestDatabase;
let owner: pg.Client;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const made = await createTestRole(database.url);
  [role, dropRole] = [made.role, made.drop];
  expect(separateRole({ url: made.url, ownerUrl: database.url })).toBe(role);
  await migrate(database.url, role);
  await migrate(database.url, role); // as every further start
  server = await TestServer.start({}, { url: made.url, drop: () => Promise.resolve() });
});
afterAll(async () => {
  await server.stop();
  await dropRole();
  await owner.end();
  await database.drop();
});

describe('a server that is not the owner of its tables (S18)', () => {
  let task_id: string;

  it('does all of its work', async () => {
    const client = await server.mcp();
    const { project_id } = await givenProject(server);
    task_id = await givenTask(client, project_id);
    const started = await client.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'echo hello' });
    expect(await untilEnded(client, started.attempt_id as string)).toMatchObject({ state: 'completed' });
    await server.rest.does('POST', `/api/tasks/${task_id}/thought-records`, {
      type: 'decision',
      agent_id: '@claude',
      content: 'Ship it.',
    });
    expect((await server.rest.get('/health/ready')).status).toBe(200);
    const colibri = await server.mcp('', '/mcp/colibri');
    expect((await colibri.call('audit_verify_chain', { task_id })).data).toMatchObject({
      valid: true,
      record_count: 1,
    });
    await client.call('delete_task', { task_id });
  });

  it.each([
    'UPDATE audit_log SET actor = actor',
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'UPDATE thought_records SET content = content',
    'DELETE FROM thought_records',
    'UPDATE thought_heads SET hash = hash',
    'DELETE FROM thought_heads',
    "INSERT INTO thought_heads (task_id, position, record_id, hash) SELECT id, 9, id, 'x' FROM tasks",
    'ALTER TABLE thought_records DISABLE TRIGGER keep_head',
    'DROP TRIGGER keep_head ON thought_records',
    'ALTER TABLE audit_log ADD COLUMN more text',
    'CREATE TABLE more (id int)',
    'DELETE FROM schema_migrations',
    "SET session_replication_role = 'replica'",
  ])('cannot: %s', async (sql) => {
    await expect(server.query(sql)).rejects.toMatchObject({ code: '42501' });
  });

  it('lets a role that may only log in read how many turns wait, for a scaler, and nothing else', async () => {
    const scaler = `${role}_scaler`;
    await owner.query(`CREATE ROLE ${scaler} LOGIN PASSWORD '${scaler}'`);
    const url = new URL(database.url);
    [url.username, url.password] = [scaler, scaler];
    const reader = new pg.Client({ connectionString: url.href });
    await reader.connect();
    try {
      const { rows } = await reader.query(
        "SELECT coalesce(sum(waiting), 0)::int AS n FROM waiting_turns WHERE pool = 'default'",
      );
      expect(rows).toEqual([{ n: 0 }]);
      for (const sql of ['SELECT 1 FROM turn_jobs', 'SELECT 1 FROM tasks', 'SELECT 1 FROM runners'])
        await expect(reader.query(sql)).rejects.toMatchObject({ code: '42501' });
    } finally {
      await reader.end();
      await owner.query(`DROP ROLE ${scaler}`);
    }
  });

  it('is no superuser and owns nothing', async () => {
    const { rows } = await owner.query<Json>(
      `SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls,
         (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owned
       FROM pg_roles r WHERE rolname = $1`,
      [role],
    );
    expect(rows).toEqual([
      { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false, owned: 0 },
    ]);
  });
});
