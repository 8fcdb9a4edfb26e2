import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { FragileDatabase } from '../../support/fragile-database.js';
import type { McpClient } from '../../support/mcp-client.js';
import { givenRepos, runsOf, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

const SHORT_MS = 2_000;
const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at + 1));

describe('a database that is away for a short time', () => {
  let database: FragileDatabase;
  let server: TestServer;
  let client: McpClient;

  beforeAll(async () => {
    database = await FragileDatabase.start();
    server = await TestServer.start({}, { url: database.url, drop: () => Promise.resolve() });
    client = await server.mcp();
  });
  afterEach(() => database.line.heal());
  afterAll(async () => {
    await server.stop();
    const left = "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'taskyard%'";
    await eventually('its connections to end', async () => (await database.query(left)).length === 0);
    await database.stop();
  });

  async function givenRunAt(script: string, says: string): Promise<string> {
    const { project_id } = await givenProject(server, { name: 'Short' });
    const { attempt_id } = await givenAttempt(client, project_id, script);
    await untilSaid(client, attempt_id as string, says);
    return attempt_id as string;
  }

  it('is told to callers at once, retryably, and by the probe; then everything works again', async () => {
    const { project_id } = await givenProject(server, { name: 'Short' });
    database.line.cut();
    const refused = { code: 'database_unavailable', retryable: true };
    expect(await client.refused('list_projects')).toMatchObject(refused);
    expect(await client.refused('create_task', { project_id, title: 'x', request_id: 'once' })).toMatchObject(refused);
    expect(await server.rest.get(`/api/projects/${project_id}`)).toMatchObject({ status: 503, body: refused });
    expect([(await server.rest.get('/health/live')).status, (await server.rest.get('/health/ready')).status]).toEqual([
      200, 503,
    ]);
    database.line.heal();
    const { task_id } = await client.call('create_task', { project_id, title: 'x', request_id: 'once' });
    expect((await server.rest.get('/health/ready')).status).toBe(200);
    expect((await client.call('list_tasks', { project_id })).tasks).toMatchObject([{ task_id }]);
    expect(await givenEndedAttempt(client, project_id, 'echo works')).toMatchObject({
      state: 'completed',
      final_message: 'works',
    });
  });

  it.each([
    ['cut off', () => database.line.cut(), () => database.line.heal()],
    ['frozen', () => database.freeze(), () => database.thaw()],
  ])('lets the run go on, with a complete log, when it was %s', async (_, away, back) => {
    const attempt_id = await givenRunAt('for i in $(seq 80); do echo $i; sleep 0.05; done', '10');
    away();
    await delay(SHORT_MS);
    back();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', failure_summary: null });
    expect(await allRawLines(client, attempt_id)).toEqual(numbers(80));
  });

  it('does not lose the end of a run that ends meanwhile', async () => {
    const attempt_id = await givenRunAt('echo ready; sleep 0.5; echo last words; exit 3', 'ready');
    database.line.cut();
    await delay(SHORT_MS);
    database.line.heal();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'failed (exit_code=3)',
      final_message: 'ready\nlast words',
    });
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'last words']);
  });

  it('stores every line and runs every execution once, also where only the answers are lost', async () => {
    const project_id = await givenRepos(server, [
      { name: 'web', setup_script: 'echo setup', cleanup_script: 'echo cleanup' },
    ]);
    const attempts = await Promise.all(
      Array.from({ length: 4 }, () =>
        givenAttempt(client, project_id, 'for i in $(seq 60); do echo $i; sleep 0.05; done'),
      ),
    );
    for (let round = 0; round < 6; round += 1) {
      await delay(300 + 60 * round);
      database.line.loseAnswers();
      await delay(60);
      database.line.cut();
      await delay(100);
      database.line.heal();
    }
    for (const { attempt_id } of attempts) {
      const ended = await eventually('the end of the attempt', () =>
        untilEnded(client, attempt_id as string).catch(() => null),
      );
      expect(ended).toMatchObject({ state: 'completed' });
      expect(await runsOf(server, attempt_id as string)).toEqual([
        'setupscript web completed',
        'codingagent completed',
        'cleanupscript web completed',
      ]);
      expect(await allRawLines(client, attempt_id as string)).toEqual(['setup', ...numbers(60), 'cleanup']);
    }
  });

  it('takes up a run all the same when the connection breaks while it is taken', async () => {
    const { project_id } = await givenProject(server, { name: 'Short' });
    database.line.loseAnswerTo('codingagent running');
    const { attempt_id } = await givenAttempt(client, project_id, 'echo taken');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'taken',
    });
    expect(await runsOf(server, attempt_id as string)).toEqual(['codingagent completed']);
  });

  it.each([
    ['the cleanup', 'echo cleanup', null, ['ready', 'cleanup']],
    ['the message that waits', undefined, 'echo next', ['ready', 'next']],
    ['nothing more', undefined, null, ['ready']],
  ])(
    'goes on with %s, once, where only the answer to the end of a step was lost',
    async (_, cleanup_script, message, lines) => {
      const project_id = await givenRepos(server, [{ name: 'web', cleanup_script }]);
      const { attempt_id } = await givenAttempt(client, project_id, 'echo ready; until [ -e go ]; do sleep 0.05; done');
      await untilSaid(client, attempt_id as string, 'ready');
      if (message !== null) await client.call('follow_up', { attempt_id, action: 'queue', prompt: message });
      database.line.loseAnswerTo('COMMIT');
      writeFileSync(path.join(server.environment.DATA_DIR, 'worktrees', attempt_id as string, 'web', 'go'), '');
      expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
      expect(await allRawLines(client, attempt_id as string)).toEqual(lines);
      expect(await runsOf(server, attempt_id as string)).toHaveLength(lines.length);
    },
  );

  it('is heard again afterwards, with the lock that keeps a second server out', async () => {
    database.line.cut();
    await delay(300);
    database.line.heal();
    const sessions = "SELECT pid FROM pg_stat_activity WHERE application_name = 'taskyard-listen'";
    await eventually('the session that listens', async () => (await database.query(sessions)).length === 1);
    const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid IN (${sessions})`;
    await eventually('that of its folder', async () => (await database.query(locks)).length === 1);
  });

  it('does not hold up the end of the server', async () => {
    await givenRunAt('echo ready; sleep 600', 'ready');
    database.line.cut();
    await server.close();
    database.line.heal();
    server = await TestServer.start({ DATA_DIR: server.environment.DATA_DIR }, server.database, server.repositories);
    expect(await database.query("SELECT 1 FROM executions WHERE status = 'running'")).toEqual([]);
  });
});
