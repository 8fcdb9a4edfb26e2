import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { CallingRun } from '../../support/calling-run.js';
import { TestCell } from '../../support/cell.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, processesTyped } from '../../support/eventually.js';
import { GitSandbox } from '../../support/git-repository.js';
import { onlyWith } from '../../support/machine.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { Program } from '../../support/program.js';
import { runsOf } from '../../support/runs.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

onlyWith('bubblewrap').describe('runs in the container beside the server', () => {
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  const repositories = new GitSandbox();
  mkdirSync(repositories.path('agent'));
  const cell = new TestCell({
    dataDir: DATA_DIR,
    readable: [repositories.dir],
    writable: [repositories.path('agent')],
  });
  const seconds = `8${process.pid}`;
  let database: TestDatabase;
  let server: ServerProcess;
  let client: McpClient;
  let project_id: string;
  const settings = (): Record<string, string> => ({
    ...{ DATABASE_URL: database.url, DATA_DIR, ISOLATION: 'container', CELL_SOCKET: cell.socket },
    ...{
      MAX_CONCURRENT_EXECUTIONS: '1',
      RUN_MEMORY_MAX: String(1024 ** 3),
      RUN_LOG_MAX_BYTES: '100000',
      CLUSTER_SECRET,
    },
    ...CallingRun.settings(repositories),
    ...{ RUN_NETWORK: 'auto', RETRY_DELAY_SECS: '600' }, // what is lost does not begin again beside other runs
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    await cell.start();
    server = await ServerProcess.start(settings(), repositories);
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterEach(() => cell.start());
  afterAll(async () => {
    await server.end();
    await cell.remove();
    await database.drop();
    repositories.remove();
    rmSync(DATA_DIR, { recursive: true, force: true });
  });

  const run = (script: string): Promise<Json> => givenEndedAttempt(client, project_id, script);
  /** One that runs on. */
  async function running(script: string) {
    const { attempt_id } = await givenAttempt(client, project_id, script);
    await eventually('it to run', () => processesTyped(`sleep ${seconds}`).length > 0);
    return attempt_id as string;
  }
  const nothingRuns = () => eventually('its end', () => processesTyped(`sleep ${seconds}`).length === 0);
  async function startAgain(): Promise<void> {
    server = await server.startAgain();
    client = await server.mcp();
  }

  it('do their work, which is shown and merged', async () => {
    const project = await givenProject(server);
    const { attempt_id, ...status } = await givenEndedAttempt(
      client,
      project.project_id,
      'echo committed > one && git add . && git -c user.name=a -c user.email=a@b commit -qm one && echo loose > two',
    );
    expect([status.state, status.failure_summary]).toEqual(['completed', null]);
    const { files } = await server.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/changes`);
    expect(files).toEqual([expect.stringMatching(/one$/), expect.stringMatching(/two$/)]);
    const { patch } = await client.call('get_attempt_patch', { attempt_id, paths: files });
    expect(patch).toContain('+loose');
    await server.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/merge`, { checked_out: 'update' });
    expect(project.repository.git('show', 'main:two')).toBe('loose');
  });

  it('are set up and cleaned up there', async () => {
    const scripts = { setup_script: 'echo "$HOME" > set-up', cleanup_script: 'cat set-up > cleaned-up' };
    const project = await givenProject(server, scripts);
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'cat set-up');
    expect(await runsOf(server, attempt_id as string)).toEqual([
      'setupscript web completed',
      'codingagent completed',
      'cleanupscript web completed',
    ]);
    expect(await allRawLines(client, attempt_id as string)).toContain('/tmp/home');
  });

  it('are agents that speak with the server', async () => {
    const agent = await CallingRun.start(client, project_id, repositories);
    expect(await agent.call('get_context')).toMatchObject({ attempt_id: agent.attempt_id });
    await agent.end();
    expect(await untilEnded(client, agent.attempt_id)).toMatchObject({ state: 'completed' });
  });

  it.each([false, true])('are stopped, by force: %s', async (force) => {
    const attempt_id = await running(`setsid env -i sleep ${seconds} & wait`);
    await client.call('stop_attempt', { attempt_id, force });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ failure_summary: 'killed' });
    await nothingRuns();
  });

  it('find nothing of the server', async () => {
    const { attempt_id } = await run(
      `ls -A ${DATA_DIR} ${path.dirname(cell.socket)}; cat ${DATA_DIR}/local-token; ` +
        'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -E "^(DATABASE_URL|CLUSTER_SECRET)="; echo end',
    );
    const said = await allRawLines(client, attempt_id as string);
    const shared = ['lenses', 'repos', 'stores', 'worktrees'];
    expect(said.filter((line) => !/^(\/.*:|end|)$/.test(line) && !shared.includes(line))).toEqual([
      expect.stringMatching(/^cat: .*local-token: No such file/),
    ]);
  });

  it('are nobody to the server without a token, though they share its loopback', async () => {
    const code = `fetch('${server.url}/api/projects').then((a) => console.log('status ' + a.status))`;
    const { attempt_id } = await run(`'${process.execPath}' -e "${code}"`);
    expect(await allRawLines(client, attempt_id as string)).toContain('status 401');
  });

  it('neither fill the log nor keep others from theirs', async () => {
    const { attempt_id, state } = await run('yes | head -c 5000000; echo done');
    expect(state).toBe('completed');
    expect((await allRawLines(client, attempt_id as string)).join('').length).toBeLessThan(200_000);
    expect(await run('echo next')).toMatchObject({ final_message: 'next' });
  });

  it('are told where they ran into the limit of memory', async () => {
    const { failure_summary } = await run(`exec perl -e '$bytes = 3e9; $x = "x" x $bytes'`);
    expect(failure_summary).toContain('RUN_MEMORY_MAX');
  });

  it('have no other network than their container', async () => {
    const { isolation, isolation_reason, network, limits } = await server.rest.answers(200, 'GET', '/api/executors');
    expect([isolation, isolation_reason, network, limits.memory]).toEqual(['container', null, 'host', 'prlimit']);
    expect(server.output).toContain('Runs     isolated by container;');
    const project = await givenProject(server);
    await server.rest.put(`/api/projects/${project.project_id}`, { network: 'none' });
    const task = { task_id: await taskOf(project.project_id), executor: 'SHELL' };
    expect(await client.refused('start_task_attempt', task)).toMatchObject({ code: 'network_unavailable' });
  });
  const taskOf = async (id: string) => (await client.call('create_task', { project_id: id, title: 'x' })).task_id;

  it('end with their server, however it ends', async () => {
    const attempt_id = await running(`setsid env -i sleep ${seconds} & sleep ${seconds}`);
    await server.end('SIGKILL');
    await nothingRuns();
    await startAgain();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'runner lost: the server was restarted',
    });
    expect(await run('echo next')).toMatchObject({ final_message: 'next' });
  });

  it('end with the lease of a server that stands still', async () => {
    const attempt_id = await running(`sleep ${seconds}`);
    process.kill(server.pid, 'SIGSTOP');
    await nothingRuns();
    process.kill(server.pid, 'SIGCONT');
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'failed' });
  });

  it('are lost with their container, and refused until it is back', async () => {
    const attempt_id = await running(`sleep ${seconds}`);
    await cell.end();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'runner lost: the launcher in the container of its runs ended',
    });
    const task = { task_id: await taskOf(project_id), executor: 'SHELL', prompt: 'echo again' };
    expect(await client.refused('start_task_attempt', task)).toMatchObject({
      code: 'isolation_unavailable',
      retryable: true,
      hint: expect.stringContaining('taskyard cell'),
    });
    const { isolation_reason } = await server.rest.answers(200, 'GET', '/api/executors');
    expect(isolation_reason).toContain('nobody listens at');
    await cell.start();
    const again = await client.call('start_task_attempt', task);
    expect(await untilEnded(client, again.attempt_id as string)).toMatchObject({ final_message: 'again' });
  });

  it('are what the doctor looks for', async () => {
    await server.end();
    const examine = async () => {
      const program = Program.start('doctor', [], settings());
      await program.ended;
      return program.stdout + program.stderr;
    };
    await eventually('the launcher to listen again', () => existsSync(cell.socket));
    expect(await examine()).toMatch(/^ok +isolation: the launcher at .* answers$/m);
    await cell.end();
    expect(await examine()).toMatch(
      /^FAULT +isolation: no run can start: nobody listens at .*\n +→ Start `taskyard cell`/m,
    );
    await cell.start();
    await startAgain();
  });
});
