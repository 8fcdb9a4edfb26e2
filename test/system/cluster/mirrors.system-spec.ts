import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { givenAttempt, givenEndedAttempt, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { McpClient } from '../../support/mcp-client.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

/** For so long the starts of a runner share one look at the origin. */
const FETCH_SHARED_MS = 6_000;

describe('a repository by URL, of which each runner has a clone of its own', () => {
  let database: TestDatabase;
  let folder: string;
  let api: ServerProcess;
  let client: McpClient;
  let origin: GitRepository;
  let project_id: string;
  let repo_id: string;
  const runners: ServerProcess[] = [];

  const start = async (name: string, role: string): Promise<ServerProcess> =>
    ServerProcess.start(
      {
        DATABASE_URL: database.url,
        DATA_DIR: path.join(folder, name),
        CLUSTER_SECRET,
        TASKFLOW_SERVICE_TOKEN: 'a token of at least thirty-two characters',
        INTERNAL_PORT: '0',
        INTERNAL_ADDRESS: '127.0.0.1:0',
        RUNNER_LOST_SECS: '3',
        MAX_CONCURRENT_EXECUTIONS: '1',
        AGENT_API_URL: 'http://127.0.0.1:9',
        ROLE: role,
      },
      api?.repositories,
    );
  const cloneOf = (name: string): string => path.join(folder, name, 'repos', `${repo_id}.git`);

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-mirrors-'));
    api = await start('api', 'api');
    client = await api.mcp();
    runners.push(await start('one', 'runner'));
    origin = api.repositories.repository('origin', { 'a.txt': 'a\n' });
    const body = { name: 'Cloned', repos: [{ url: `file://${origin.dir}`, name: 'web' }] };
    project_id = (await eventually('a runner to clone it', async () => {
      const answer = await api.rest.post('/api/projects', body);
      return answer.status === 201 && (answer.body.project_id as string);
    })) as string;
    repo_id = (await api.rest.does('GET', `/api/projects/${project_id}/repos`)).repos[0].repo_id as string;
  });
  afterAll(async () => {
    await ServerProcess.endLeft();
    await database.drop();
    api.repositories.remove();
    rmSync(folder, { recursive: true });
  });

  it('is cloned by a runner that needs it, with what its origin has by now', async () => {
    const busy = await givenAttempt(client, project_id, 'sleep 600');
    runners.push(await start('two', 'runner'));
    expect(existsSync(cloneOf('two'))).toBe(false);
    origin.write({ 'new.txt': 'new\n' });
    origin.commit('newer');
    expect(await givenEndedAttempt(client, project_id, 'cat new.txt')).toMatchObject({
      state: 'completed',
      final_message: 'new',
    });
    expect([existsSync(cloneOf('one')), existsSync(cloneOf('two'))]).toEqual([true, true]);
    await client.call('stop_attempt', { attempt_id: busy.attempt_id, force: true });
  });

  it('is what another runner goes on with, although its clone is older than the attempt', async () => {
    origin.write({ 'newest.txt': 'newest\n' });
    origin.commit('newest');
    await delay(FETCH_SHARED_MS);
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'git log -1 --format=%s; echo own > own.txt');
    const names = ['one', 'two'];
    const at = names.findIndex((name) => existsSync(path.join(folder, name, 'worktrees', attempt_id as string)));
    await runners[at]!.end('SIGKILL');
    await eventually('its home to be gone', async () => {
      const { runners: rows } = (await api.rest.does('GET', '/api/runners')) as { runners: { state: string }[] };
      return rows.some(({ state }) => state === 'lost');
    });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'cat own.txt newest.txt' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'own\nnewest',
    });
    expect(existsSync(path.join(folder, names[1 - at]!, 'worktrees', attempt_id as string))).toBe(true);
  });
});
