import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { loadEnvironment } from '../../../src/config/environment.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { createTestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import { FragileDatabase } from '../../support/fragile-database.js';
import { runsOf, taskStatus, untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';

const SILENT = 'runner lost: it went silent';

describe('a database that is away for a long time', () => {
  let database: FragileDatabase;
  beforeAll(async () => {
    database = await FragileDatabase.start();
  });
  afterAll(() => database.stop());

  it.each([
    ['killed', () => database.kill(), () => database.startAgain()],
    ['frozen', () => Promise.resolve(database.freeze()), () => Promise.resolve(database.thaw())],
  ])(
    'costs one of several servers its processes when it was %s, and nothing else: it recovers by itself',
    async (_, away, back) => {
      const server = await TestServer.start({ CLUSTER_SECRET }, { url: database.url, drop: () => Promise.resolve() });
      const client = await server.mcp();
      const { project_id } = await givenProject(server);
      const { attempt_id, task_id, execution_process_id } = await givenAttempt(
        client,
        project_id,
        'trap "" INT TERM; for i in $(seq 10000); do echo $i; sleep 0.05; done',
      );
      await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo after the outage' });
      await untilSaid(client, attempt_id as string, '5');

      await away();
      expect(await client.refused('get_attempt_status', { attempt_id })).toMatchObject({
        code: 'database_unavailable',
        retryable: true,
      });
      await eventually(
        'the end of the processes of the run',
        () => processesOfRun(execution_process_id as string).length === 0,
        30_000,
      );
      await back();

      await eventually('an answer', () => client.call('list_projects').catch(() => null), 60_000);
      expect(await untilEnded(client, attempt_id as string)).toMatchObject({
        state: 'completed',
        final_message: 'after the outage',
      });
      expect(await runsOf(server, attempt_id as string)).toEqual(['codingagent failed', 'codingagent completed']);
      const first = 'SELECT failure_summary FROM executions WHERE attempt_id = $1 ORDER BY number LIMIT 1';
      expect(await server.query(first, [attempt_id])).toEqual([{ failure_summary: SILENT }]);
      expect(await taskStatus(client, task_id as string)).toBe('inreview');
      const lines = await allRawLines(client, attempt_id as string);
      expect(lines).toEqual([...lines.slice(0, -1).map((_line, at) => String(at + 1)), 'after the outage']);
      expect(await givenEndedAttempt(client, project_id, 'echo works')).toMatchObject({
        state: 'completed',
        final_message: 'works',
      });
      await server.stop();
      const left = "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'taskyard%'";
      await eventually('its connections to end', async () => (await database.query(left)).length === 0);
    },
  );

  it('lets the server end in time all the same, without a process of its runs', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    const server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: dataDir });
    const client = await server.mcp();
    const { project_id } = await givenProject(server);
    const { attempt_id, execution_process_id } = await givenAttempt(client, project_id, 'echo ready; sleep 600');
    await untilSaid(client, attempt_id as string, 'ready');
    database.freeze();
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(processesOfRun(execution_process_id as string)).toEqual([]);
    database.thaw();
    await ServerProcess.endLeft();
    server.repositories.remove();
    rmSync(dataDir, { recursive: true });
  });
});

describe('a server that has closed its connections', () => {
  it('rejects what is still asked, and never throws: whatever asks on a timer would end the process', async () => {
    const test = await createTestDatabase();
    const database = new Database(await openDataSource(test.url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
    await database.onApplicationShutdown();
    const asked = [
      () => database.query('SELECT 1'),
      () => database.queryPrepared({ name: 'one', text: 'SELECT 1 AS one' }, []),
      () => database.affected('SELECT 1'),
    ].map((ask) => ask());
    for (const answer of asked) await expect(answer).rejects.toThrow('The connections to the database are closed.');
    expect(database.connections).toEqual({ busy: 0, idle: 0, waiting: 0 });
    await test.drop();
  });
});
