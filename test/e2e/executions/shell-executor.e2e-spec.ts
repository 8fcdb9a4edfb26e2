import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, givenEndedAttempt, givenProject, givenTask, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { endedByKill } from '../../support/runs.js';

describe('the SHELL executor', () => {
  beforeAll(() => {
    builtGlobals.process.env.TEST_SECRET_OF_THE_SERVER = 'not for agents';
    builtGlobals.process.env.TEST_ALLOWED_BY_THE_OPERATOR = 'for agents';
  });
  const server = InProcessServer.use({
    AGENT_ENV: 'TEST_ALLOWED_BY_THE_OPERATOR',
    DATABASE_URL: 'postgres://unused/',
    TASKFLOW_SERVICE_TOKEN: '',
  });
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterAll(() => {
    delete builtGlobals.process.env.TEST_SECRET_OF_THE_SERVER;
    delete builtGlobals.process.env.TEST_ALLOWED_BY_THE_OPERATOR;
  });

  async function runTask(
    title: string,
    description: string | undefined,
    prompt?: string,
  ): Promise<Json & { lines: string[] }> {
    const { task_id } = await client.call('create_task', { project_id, title, description });
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL', prompt });
    return { ...(await untilEnded(client, attempt_id)), lines: await allRawLines(client, attempt_id) };
  }

  it.each([
    ['of one line', 'rm -rf "$HOME"; exit 9'],
    ['of several lines', 'First\nexit 9\r\nexit 8\n\nexit 7'],
    ['that would continue the next line', 'Ends with a backslash \\'],
  ])('makes a comment of a title %s, and a script of the description', async (_, title) => {
    expect(await runTask(title, 'echo ran')).toMatchObject({ state: 'completed', lines: ['ran'] });
  });

  it('runs nothing, and well, for a task without description', async () => {
    expect(await runTask('Only a title', undefined)).toMatchObject({
      state: 'completed',
      lines: [],
      final_message: null,
    });
  });

  it('runs a prompt instead of the text of the task, and every follow-up, as they stand', async () => {
    const first = await runTask('exit 9', 'exit 8', 'echo "# no comment"\necho prompt');
    expect(first).toMatchObject({ state: 'completed', lines: ['# no comment', 'prompt'] });
    await client.call('follow_up', { attempt_id: first.attempt_id, action: 'send', prompt: 'echo follow-up $((1+1))' });
    expect(await untilEnded(client, first.attempt_id)).toMatchObject({ final_message: 'follow-up 2' });
  });

  it('answers the last 4 KB of standard output, without standard error', async () => {
    const { final_message } = await runTask('Much', 'for i in $(seq 2000); do echo "line $i"; echo noise >&2; done');
    expect(final_message).toMatch(/line 1999\nline 2000$/);
    expect(final_message).not.toContain('noise');
    expect(Buffer.byteLength(final_message as string)).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(final_message as string)).toBeGreaterThan(4_000);
    const other = await runTask('Much in another script', 'for i in $(seq 2000); do printf "%s" "日本語"; done');
    expect(other.final_message).toMatch(/^[日本語]{1360,1365}$/);
  });

  it.each([
    ['exit 0', { state: 'completed', failure_summary: null }],
    ['exit 1', { state: 'failed', failure_summary: 'failed (exit_code=1)' }],
    ['exit 255', { state: 'failed', failure_summary: 'failed (exit_code=255)' }],
    ['no-such-program-anywhere', { state: 'failed', failure_summary: 'failed (exit_code=127)' }],
    ['if then', { state: 'failed', failure_summary: 'failed (exit_code=2)' }],
  ])('tells how "%s" ended', async (script, expected) => {
    const { attempt_id, ...status } = await givenEndedAttempt(client, project_id, script);
    expect(status).toMatchObject(expected);
    const { exit_code } = (
      await server.query<{ exit_code: number | null }>('SELECT exit_code FROM executions WHERE attempt_id = $1', [
        attempt_id,
      ])
    )[0]!;
    expect(exit_code).toBe(Number(/exit_code=(\d+)/.exec(expected.failure_summary ?? '')?.[1] ?? 0));
  });

  it('tells of a signal that ended it, which walls hand on as an exit code', async () => {
    expect(await givenEndedAttempt(client, project_id, 'kill -9 $$')).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringMatching(endedByKill),
    });
  });

  it('fails, and says so, where the script is longer than the system takes', async () => {
    const { failure_summary, state } = await runTask('Too long', `: ${'x'.repeat(200_000)}`);
    expect(state).toBe('failed');
    expect(failure_summary).toMatch(/^could not start: .*E2BIG/);
  });

  it('gives scripts an allow-listed environment and where they are, never what the server knows', async () => {
    const { attempt_id, task_id, workspace_branch } = await givenEndedAttempt(
      client,
      project_id,
      'env -0 | sort -z | tr "\\0" "\\n"',
    );
    const lines = await allRawLines(client, attempt_id);
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<
      string,
      string
    >;
    expect(environment).toMatchObject({
      PATH: process.env.PATH,
      TEST_ALLOWED_BY_THE_OPERATOR: 'for agents',
      TASKYARD_PROJECT_ID: project_id,
      TASKYARD_TASK_ID: task_id,
      TASKYARD_ATTEMPT_ID: attempt_id,
      TASKYARD_BRANCH: workspace_branch,
    });
    const allowed = new RegExp(
      '^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\\w+|TZ|TERM|TMPDIR|XDG_\\w+|\\w+_proxy|\\w+_PROXY|SSL_CERT_\\w+|' +
        'NODE_EXTRA_CA_CERTS|npm_config_cache|PWD|OLDPWD|SHLVL|_|TASKYARD_\\w+|TEST_ALLOWED_BY_THE_OPERATOR)$',
    );
    expect(Object.keys(environment).filter((name) => !allowed.test(name))).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/not for agents|DATABASE_URL|SERVICE_TOKEN|postgres:/);
  });

  it('has no standard input to wait for', async () => {
    expect(await runTask('Reads', 'cat; read line; echo "read $?"')).toMatchObject({
      state: 'completed',
      lines: ['read 1'],
    });
  });
});

describe('the SHELL executor switched off', () => {
  const server = InProcessServer.use({ SHELL_EXECUTOR: 'off' });
  let client: McpClient;

  beforeAll(async () => {
    client = await server.mcp();
  });

  it('is listed with its reason and refused with it, and nothing is written', async () => {
    const { project_id } = await givenProject(server);
    const task_id = await givenTask(client, project_id);
    const { executors } = await client.call('list_executors', { all: true });
    expect(executors).toContainEqual(
      expect.objectContaining({
        executor: 'SHELL',
        is_available: false,
        reason: expect.stringContaining('SHELL_EXECUTOR=on'),
      }),
    );
    const refused = await client.refused('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(refused).toMatchObject({
      code: 'executor_unavailable',
      message: expect.stringContaining('SHELL_EXECUTOR=on'),
      hint: expect.stringContaining('list_executors'),
    });
    expect(await server.query('SELECT 1 FROM attempts')).toEqual([]);
    expect((await client.call('get_task', { task_id })).task.status).toBe('todo');
  });
});
