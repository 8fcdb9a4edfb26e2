import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import { untilSaid } from '../../support/runs.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

describe('a second server on one database', () => {
  let database: TestDatabase;
  let folders: string[];
  beforeEach(async () => {
    database = await createTestDatabase();
    folders = [];
  });
  afterEach(async () => {
    await ServerProcess.endLeft();
    await database.drop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  function settings(role: string, more: Record<string, string> = {}): Record<string, string> {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    folders.push(folder);
    return { DATABASE_URL: database.url, DATA_DIR: folder, ROLE: role, INTERNAL_PORT: '0', ...more };
  }

  it('is refused with one line where both share no secret, or one data folder', async () => {
    const first = await ServerProcess.start(settings('all', { CLUSTER_SECRET, INTERNAL_PORT: '1' }));
    const refused = async (more: Record<string, string>): Promise<string> => {
      const { code, output } = await ServerProcess.run(settings('runner', more));
      expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringMatching(/^taskyard: /)]]);
      return output;
    };
    expect(await refused({})).toMatch(/another server \(ROLE=all, \S+:1\) uses this database: set CLUSTER_SECRET/);
    expect(await refused({ CLUSTER_SECRET: 'another-one-that-is-long-enough-too' })).toContain('is another one');
    expect(await refused({ CLUSTER_SECRET: 'short' })).toContain('CLUSTER_SECRET has fewer than 32 characters');
    expect(await refused({ CLUSTER_SECRET, DATA_DIR: first.settings.DATA_DIR! })).toContain('already uses DATA_DIR');
    expect(await ServerProcess.run(settings('api'))).toMatchObject({
      code: 1,
      output: expect.stringContaining('set TASKFLOW_SERVICE_TOKEN'), // or a run of the first would be its owner
    });
    expect(await first.rest.does('GET', '/api/runners')).toMatchObject({
      runners: [{ role: 'all', state: 'ready' }], // none of those that were refused
    });
    await first.end();
    first.repositories.remove();
  });

  it('serves requests beside the first, is listed with it', async () => {
    const first = await ServerProcess.start(settings('all', { CLUSTER_SECRET }));
    const given = settings('api', { TASKFLOW_SERVICE_TOKEN: 'a-token', CLUSTER_SECRET });
    const beside = await ServerProcess.start(given, first.repositories);
    const client = await beside.mcp();
    const { project_id } = await givenProject(beside);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo done by the first');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ final_message: 'done by the first' });
    expect(await beside.rest.does('GET', '/api/runners')).toMatchObject({
      runners: [
        {
          role: 'all',
          state: 'ready',
          slots: 8,
          busy: 0,
          executors: expect.arrayContaining([{ executor: 'SHELL', is_available: true, reason: null }]),
        },
        { role: 'api', state: 'ready', slots: 0, executors: [] },
      ],
    });
    expect(readdirSync(given.DATA_DIR!)).not.toContain('runner-id');
    await first.end();
    expect(await beside.rest.does('GET', '/api/runners')).toMatchObject({
      runners: [{ role: 'all', state: 'left' }, { role: 'api' }],
    });
    await beside.end();
    first.repositories.remove();
  });

  it('may run agents once the first has ended', async () => {
    const first = await ServerProcess.start(settings('all'));
    await first.end('SIGKILL');
    const second = await ServerProcess.start(settings('all'), first.repositories);
    await second.end();
    first.repositories.remove();
  });
});

describe('a runner whose place is taken while it cannot reach the database', () => {
  it('kills what it runs, takes nothing more and says so; who has the place ends what it left', async () => {
    const server = await TestServer.start();
    const client = await server.mcp();
    const { project_id } = await givenProject(server);
    const { attempt_id, execution_process_id } = await givenAttempt(client, project_id, 'echo ready; sleep 600');
    await untilSaid(client, attempt_id as string, 'ready');
    expect(processesOfRun(execution_process_id as string).length).toBeGreaterThan(0);

    await server.query('UPDATE runners SET incarnation = gen_random_uuid()');
    const ready = await eventually('the probe to say so', async () => {
      const answer = await fetch(`${server.url}/health/ready`);
      return answer.status === 503 && ((await answer.json()) as object);
    });
    expect(ready).toEqual({ status: 'another server runs in the place of this one' });
    await eventually('its processes to end', () => processesOfRun(execution_process_id as string).length === 0);
    const waiting = await givenAttempt(client, project_id, 'echo by the next');
    await new Promise((resolve) => setTimeout(resolve, 3_000)); // more than a poll of the queue
    expect(await server.query('SELECT status FROM executions WHERE attempt_id = $1', [waiting.attempt_id])).toEqual([
      { status: 'queued' },
    ]);

    await server.query('UPDATE runners SET left_at = now()');
    const next = await TestServer.start(
      { DATA_DIR: server.environment.DATA_DIR },
      server.database,
      server.repositories,
    );
    const other = await next.mcp();
    expect(await untilEnded(other, waiting.attempt_id as string)).toMatchObject({ final_message: 'by the next' });
    expect(await untilEnded(other, attempt_id as string)).toMatchObject({ state: 'failed' });
    await server.stop({ keepDatabase: true, keepFiles: true });
    await next.stop();
  });
});
