import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { onlyWith } from '../../support/machine.js';
import { runsOf, untilSaid } from '../../support/runs.js';
import { submit, TwoAgents } from '../../support/second-review-ground.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

describe('one process that serves and two that run', () => {
  let database: TestDatabase;
  let api: ServerProcess;
  let client: McpClient;
  let project_id: string;
  const runners: ServerProcess[] = [];
  const folders: string[] = [];
  const agents = new TwoAgents();

  function settings(role: string, more: Record<string, string> = {}): Record<string, string> {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    folders.push(folder);
    const shared = {
      DATABASE_URL: database.url,
      CLUSTER_SECRET,
      TASKFLOW_SERVICE_TOKEN: 'a-token',
      INTERNAL_PORT: '0',
      INTERNAL_ADDRESS: '127.0.0.1:0',
      EXECUTORS_FILE: agents.declared,
      RETRY_DELAY_SECS: '600', // what is lost does not begin again beside other runs
    };
    return { ...shared, DATA_DIR: folder, ROLE: role, RUNNER_LOST_SECS: '3', ...more };
  }
  const startRunner = async (): Promise<ServerProcess> => {
    const more = {
      MAX_CONCURRENT_EXECUTIONS: '2',
      DRAIN_SECS: '60',
      RUN_NETWORK: 'host',
      AGENT_API_URL: api.url,
    };
    const runner = await ServerProcess.start(settings('runner', more), api.repositories);
    runners.push(runner);
    return runner;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await ServerProcess.start(settings('api'));
    client = await api.mcp();
    await startRunner();
    await startRunner();
    ({ project_id } = await givenProject(api)); // a runner looks at the repository
  });
  afterAll(async () => {
    await ServerProcess.endLeft();
    api.repositories.remove();
    await database.drop();
    for (const folder of folders) rmSync(folder, { recursive: true });
    agents.remove();
  });

  /** The runner that holds the worktrees of an attempt. */
  const homeOf = (attempt_id: unknown): ServerProcess =>
    runners.find(({ settings: { DATA_DIR } }) => existsSync(path.join(DATA_DIR!, 'worktrees', attempt_id as string)))!;

  it('uses the places of both, and goes on with an attempt where its worktrees are', async () => {
    const attempts = await Promise.all(
      Array.from({ length: 4 }, () => givenAttempt(client, project_id, 'echo $$; sleep 2')),
    );
    for (const { attempt_id } of attempts)
      expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    expect(new Set(attempts.map(({ attempt_id }) => homeOf(attempt_id))).size).toBe(2);
    for (const { attempt_id } of attempts) {
      await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo again' });
      expect(await untilEnded(client, attempt_id as string)).toMatchObject({ final_message: 'again' });
    }
  });

  it('stops through one process what runs in another, and says why a turn waits', async () => {
    const busy = await Promise.all(
      Array.from({ length: 4 }, () => givenAttempt(client, project_id, 'echo ready; exec sleep 600')),
    );
    for (const { attempt_id } of busy) await untilSaid(client, attempt_id as string, 'ready');
    const waiting = await givenAttempt(client, project_id, 'echo taken');
    const queued = await givenAttempt(client, project_id, 'echo taken');
    const status = (attempt_id: unknown) => client.call('get_attempt_status', { attempt_id });
    expect(await status(waiting.attempt_id)).toMatchObject({
      queue_position: 1,
      waiting_reason: { code: 'no_place', label: null },
    });
    expect(await status(queued.attempt_id)).toMatchObject({
      queue_position: 2,
      waiting_reason: { code: 'no_place', label: null },
    });
    for (const { attempt_id } of busy)
      expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true });
    for (const { attempt_id } of [waiting, queued])
      expect(await untilEnded(client, attempt_id as string)).toMatchObject({
        final_message: 'taken',
        queue_position: null,
        waiting_reason: null,
      });
  });

  const kill = async (home: ServerProcess) => {
    await home.end('SIGKILL');
    runners.splice(runners.indexOf(home), 1);
    await startRunner();
  };
  const typesOf = async (attempt_id: string): Promise<string[]> => {
    const { events } = await api.rest.does('GET', '/api/events?limit=500');
    return (events as Json[]).flatMap(({ type, subject }) => (subject === attempt_id ? [type as string] : []));
  };
  const lists = async (attempt_id: string, name: string): Promise<Json> =>
    api.rest.does('GET', `/api/attempts/${attempt_id}/${name}`);

  it('checks where the work is; a check whose runner is killed is begun anew elsewhere, and counts once', async () => {
    const project = await givenProject(api);
    await api.rest.does('PUT', `/api/projects/${project.project_id}`, { checks: 'block' });
    const check = { name: 'tests', command: 'sleep 3; ls | grep -q ^new', timeout_secs: 60, required: true };
    await api.rest.does('PUT', `/api/projects/${project.project_id}/repos/${project.repo_id}/checks`, {
      checks: [check],
    });
    const { attempt_id, task_id } = await givenAttempt(client, project.project_id, 'echo new > new.txt');
    const live = await eventually('the check runs', async () => {
      const [row] = await api.query<{ runner_id: string; home: string }>(
        `SELECT e.runner_id, a.runner_id AS home FROM executions e JOIN attempts a ON a.id = e.attempt_id
         WHERE e.attempt_id = $1 AND e.run_reason = 'check' AND e.status = 'running' AND e.repo_id IS NOT NULL`,
        [attempt_id],
      );
      return row ?? null;
    });
    expect(live).toMatchObject({ runner_id: (live as Json).home as string });
    await kill(homeOf(attempt_id));
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ checks_state: 'passed' });
    expect(await runsOf(api, attempt_id as string)).toEqual([
      ...['codingagent completed', 'check web failed', 'check web completed'],
    ]);
    expect(await lists(attempt_id as string, 'checks')).toMatchObject({
      ...{ state: 'passed', rounds_used: 0, exhausted_reason: null, checks: [{ state: 'passed', exit_code: 0 }] },
    });
    expect((await lists(attempt_id as string, 'continuations')).continuations).toEqual([]);
    expect((await typesOf(attempt_id as string)).filter((type) => type.includes('.check.'))).toEqual([
      ...['taskyard.check.started', 'taskyard.check.passed'],
    ]);
    expect((await client.call('get_task', { task_id })).task).toMatchObject({ status: 'inreview' });
    project.repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const merged = await api.rest.does('POST', `/api/attempts/${attempt_id as string}/merge`, {});
    expect(merged).toMatchObject({ state: 'merged' });
  });

  onlyWith('bubblewrap').it(
    'ends a review whose runner is killed without a verdict, and reviews what follows',
    async () => {
      agents.willCall([['wait', { gate: 'go' }], submit('request_changes')], [submit('approve')]);
      const { project_id: reviewed } = await givenProject(api, { files: { 'work.txt': 'line one\n' } });
      await api.rest.does('PUT', `/api/projects/${reviewed}`, { review: { executor: 'REVIEWER' } });
      const { attempt_id } = (await givenAttempt(client, reviewed, '', { executor: 'AUTHOR' })) as {
        attempt_id: string;
      };
      await eventually('a reviewer', () => agents.notes('reviewer').length > 0);
      await kill(homeOf(attempt_id));
      expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', run_reason: 'codingagent' });
      agents.open('go');
      const ofReview = ['codingagent completed', 'review failed'];
      expect(await runsOf(api, attempt_id)).toEqual(ofReview);
      const lost = { state: 'errored', verdict: null, reason: expect.stringContaining('runner lost') as unknown };
      expect(await lists(attempt_id, 'checks')).toMatchObject({ review: lost });
      expect((await lists(attempt_id, 'continuations')).continuations).toEqual([]);
      await client.call('follow_up', { attempt_id, action: 'send', prompt: 'And one more.' });
      await eventually('the next review', async () => (await lists(attempt_id, 'checks')).review.verdict === 'approve');
      await untilEnded(client, attempt_id);
      expect(await runsOf(api, attempt_id)).toEqual([...ofReview, 'codingagent completed', 'review completed']);
      expect([agents.notes('author').length, agents.notes('reviewer').length]).toEqual([2, 2]);
    },
  );

  it('ends what a frozen runner runs, and the turn of one that is killed where only others live', async () => {
    const frozen = await givenAttempt(client, project_id, 'echo ready; exec sleep 600');
    await untilSaid(client, frozen.attempt_id as string, 'ready');
    const home = homeOf(frozen.attempt_id);
    process.kill(home.pid, 'SIGSTOP');
    await eventually('its processes to end', () => processesOfRun(frozen.execution_process_id as string).length === 0);
    expect(await untilEnded(client, frozen.attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: 'runner lost: it went silent',
    });
    process.kill(home.pid, 'SIGCONT');
    const other = runners.find((runner) => runner !== home)!;
    await other.end();
    const killed = await givenAttempt(client, project_id, 'echo ready; exec sleep 600');
    await untilSaid(client, killed.attempt_id as string, 'ready'); // by the one that was frozen
    await home.end('SIGKILL');
    expect(await untilEnded(client, killed.attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: 'runner lost: it went silent',
    });
    const unheld = await givenAttempt(client, project_id, 'echo by the next');
    expect(await client.call('get_attempt_status', { attempt_id: unheld.attempt_id })).toMatchObject({
      queue_position: 1,
      waiting_reason: { code: 'no_runner', label: null },
    });
    await startRunner();
    expect(await untilEnded(client, unheld.attempt_id as string)).toMatchObject({ final_message: 'by the next' });
  });

  it('lets a turn end before it stops, and exits with 0', async () => {
    const attempt = await givenAttempt(
      client,
      project_id,
      'echo ready; until [ -e go ]; do sleep 0.1; done; echo done',
    );
    await untilSaid(client, attempt.attempt_id as string, 'ready');
    const home = homeOf(attempt.attempt_id);
    const ended = home.end('SIGTERM');
    await eventually('it to say that it drains', async () => {
      const { runners: rows } = (await api.rest.does('GET', '/api/runners')) as { runners: { state: string }[] };
      return rows.some(({ state }) => state === 'draining');
    });
    expect((await fetch(`${home.url}/health/ready`)).status).toBe(503);
    for (const other of runners.filter((runner) => runner !== home)) await other.end();
    await givenProject(api); // the one that drains looks at the repository, as nobody else is left
    writeFileSync(path.join(home.settings.DATA_DIR!, 'worktrees', attempt.attempt_id as string, 'web/go'), '');
    expect(await untilEnded(client, attempt.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: expect.stringContaining('done'),
    });
    expect(await ended).toMatchObject({ code: 0 });
  });
});
