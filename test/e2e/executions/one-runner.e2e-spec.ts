import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import { untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

jest.setTimeout(180_000); // starts the built server several times

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
    return { DATABASE_URL: database.url, DATA_DIR: folder, ROLE: role, ...more };
  }

  it('is refused with one line where it would run agents, and may serve requests beside the first', async () => {
    const first = await ServerProcess.start(settings('all'));
    for (const role of ['all', 'runner']) {
      const { code, output } = await ServerProcess.run(settings(role));
      expect([role, code, output.trim().split('\n')]).toEqual([
        role,
        1,
        ['taskyard: another server already runs agents on this database: stop it, or start this one with ROLE=api'],
      ]);
    }
    expect(await ServerProcess.run(settings('api'))).toMatchObject({
      code: 1,
      output: expect.stringContaining('set TASKFLOW_SERVICE_TOKEN'), // or a run of the first would be its owner
    });
    const beside = await ServerProcess.start(
      settings('api', { TASKFLOW_SERVICE_TOKEN: 'a-token' }),
      first.repositories,
    );
    const client = await beside.mcp();
    const { project_id } = await givenProject(beside);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo done by the first');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ final_message: 'done by the first' });
    await beside.end();
    await first.end();
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

    const rival = await takePlaceOf(server);
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

    await rival.end();
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

/** Another session waits for the lock and has it as soon as the server's own session breaks. */
async function takePlaceOf(server: TestServer): Promise<pg.Client> {
  const rival = new pg.Client({ connectionString: server.database.url });
  await rival.connect();
  const taken = rival.query("SELECT pg_advisory_lock(hashtextextended('taskyard-runner ' || $1, 0))", [
    readFileSync(path.join(server.environment.DATA_DIR, 'runner-id'), 'utf8').trim(),
  ]);
  await server.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'taskyard-listen' AND datname = current_database()`,
  );
  await taken;
  return rival;
}
