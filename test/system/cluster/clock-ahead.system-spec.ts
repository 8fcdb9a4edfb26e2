import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject, givenTask, untilEnded } from '../../support/board.js';
import { TestForge } from '../../support/forge/test-forge.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

const SETTINGS = { CLUSTER_SECRET };
/** Run before the server. */
const HOUR_AHEAD = `
  const real = Date.now;
  globalThis.Date = class extends Date {
    constructor(...given) { if (given.length) super(...given); else super(real() + 3600000); }
    static now() { return real() + 3600000; }
  };`;

describe('a replica whose clock is an hour ahead', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-ahead-'));
  let server: TestServer;
  let ahead: ServerProcess;
  let forge: TestForge;

  beforeAll(async () => {
    const own = { DATA_DIR: folder, PORT: '0', INTERNAL_PORT: '0', INTERNAL_ADDRESS: '127.0.0.1:0' };
    forge = await TestForge.start('github', path.join(folder, 'forge'));
    const forges = { FORGES_FILE: forge.settingsFile(folder), REPOSITORY_HOSTS: forge.host };
    server = await TestServer.start({ ...SETTINGS, ...forges }); // whichever of the two has the attempts
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(HOUR_AHEAD)}`;
    const settings = { ...SETTINGS, ...own, ...forges, NODE_OPTIONS, DATABASE_URL: server.database.url };
    ahead = await ServerProcess.start(settings, server.repositories);
  });
  afterAll(async () => {
    await ahead.end('SIGTERM');
    await server.stop();
    await forge.stop();
    rmSync(folder, { recursive: true });
  });

  it('does not change which attempt is the latest', async () => {
    const { project_id } = await givenProject(server);
    const client = await server.mcp();
    const task_id = await givenTask(client, project_id);
    const start = { task_id, executor: 'SHELL', prompt: 'true' };
    const early = await (await ahead.mcp()).call('start_task_attempt', start);
    await untilEnded(client, early.attempt_id as string);
    const { attempt_id } = await client.call('start_task_attempt', start);
    const { attempts, ...latest } = await client.call('list_task_attempts', { task_id });
    expect(latest).toMatchObject({ latest_attempt_id: attempt_id });
    expect((attempts as Json[]).map((attempt) => attempt.attempt_id as string)).toEqual([attempt_id, early.attempt_id]);
    await untilEnded(client, attempt_id as string);
  });

  /** One merged, and one as a pull request. */
  async function delivered(client: McpClient, project_id: string, repository: GitRepository): Promise<void> {
    const remote = forge.create('team/web');
    repository.git('push', '--quiet', remote.git.dir, 'main');
    repository.git('remote', 'add', 'origin', `${forge.url}/${remote.full_name}.git`);
    const [merged, opened] = await Promise.all(
      ['one', 'two'].map((name) => givenEndedAttempt(client, project_id, `echo new > ${name}.txt`)),
    );
    await client.call('open_pull_request', { attempt_id: opened!.attempt_id, action: 'open' });
    await client.call('get_pull_request', { attempt_id: opened!.attempt_id });
    await client.call('merge_attempt', { attempt_id: merged!.attempt_id, checked_out: 'update' });
  }

  it('writes no time of a record that is ahead of the database', async () => {
    const { project_id, repository } = await givenProject(ahead);
    const client = await ahead.mcp();
    await delivered(client, project_id, repository);
    const task_id = await givenTask(client, project_id);
    await ahead.rest.does('POST', '/api/workers', { handle: '@ahead', name: 'Ahead', type: 'agent' });
    await ahead.rest.does('POST', `/api/projects/${project_id}/members`, { handle: '@ahead' });
    await ahead.rest.does('POST', '/api/tokens', { name: 'ahead', scopes: ['read'] });
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'sleep 60' });
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'true' });
    await client.call('update_task', { task_id, status: 'done' });
    await (
      await ahead.mcp('/mcp/colibri')
    ).call('thought_record', {
      ...{ task_id, type: 'plan', agent_id: 'ahead', content: 'Look at the clock.' },
    });
    const doomed = await givenTask(client, project_id);
    await client.call('delete_task', { task_id: doomed });
    const columns = await server.query<{ table: string; column: string }>(
      `SELECT c.table_name AS "table", c.column_name AS "column"
       FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
         AND c.column_name ~ '_at$' AND c.column_name !~ '^(expires|timeout)_at$'
         OR c.table_name = 'thought_records' AND c.column_name = 'timestamp'`,
    );
    expect(columns.length).toBeGreaterThan(20);
    for (const { table, column } of columns) {
      const sql = `SELECT * FROM ${table} WHERE "${column}"::timestamptz > now() + interval '30 minutes'`;
      expect([table, column, await server.query(sql)]).toEqual([table, column, []]);
    }
    await client.call('stop_attempt', { attempt_id });
    await untilEnded(client, attempt_id as string);
  });
});
