import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import { GitSandbox } from '../../support/git-repository.js';
import { type Json, McpClient } from '../../support/mcp-client.js';
import { RestClient } from '../../support/rest-client.js';
import { sendLegacy } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';

const agent = path.join(import.meta.dirname, '../../fixtures/calling-agent.mjs');

describe.each([
  ['a token', { TASKFLOW_SERVICE_TOKEN: 'the-token-of-the-server' }],
  ['no token', {}],
])('the token of a run, where the server has %s', (_, settings: Record<string, string>) => {
  const { TASKFLOW_SERVICE_TOKEN } = settings;
  const token: Record<string, string> = TASKFLOW_SERVICE_TOKEN
    ? { authorization: `Bearer ${TASKFLOW_SERVICE_TOKEN}` }
    : {};
  const repositories = new GitSandbox();
  const state = repositories.path('agent');
  const [calledAt, gate] = [path.join(state, 'called-at'), path.join(state, 'gate')];
  let server: TestServer;
  let client: McpClient;
  let project_id: string;
  let attempt_id: string;
  let given: { url: string; headers: Record<string, string> };

  beforeAll(async () => {
    const declared = {
      executors: [
        {
          id: 'CALLER',
          command: process.execPath,
          args: [agent],
          env: { CALLED_AT: calledAt, GATE: gate },
          protocol: 'acp',
          mcp: true,
          shared: [state],
        },
      ],
    };
    writeFileSync(repositories.path('executors.json'), JSON.stringify(declared));
    server = await TestServer.start(
      { ...settings, EXECUTORS_FILE: repositories.path('executors.json') },
      undefined,
      repositories,
    );
    client = await McpClient.connect(`${server.url}/mcp`, token);
    ({ project_id } = await givenProject({ rest: new RestClient(server.url, token), repositories }));
    ({ attempt_id } = (await client.call('start_task_attempt', {
      task_id: await givenTask(client, project_id),
      executor: 'CALLER',
    })) as { attempt_id: string });
    while (!existsSync(calledAt)) await delay(20);
    given = JSON.parse(readFileSync(calledAt, 'utf8')) as typeof given;
  });
  afterAll(async () => {
    writeFileSync(gate, '');
    await client.close();
    await server.stop();
  });

  const call = async (
    url: string,
    headers: Record<string, string>,
    name = 'get_context',
    args: object = {},
  ): Promise<Json> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    return { status: answer.status, ...((await answer.json()) as Json) };
  };

  it('lets the agent call the endpoint of its attempt, in a header and not in the address', () => {
    expect(given.url).toBe(`${server.url}/mcp?attempt_id=${attempt_id}`);
    expect(Object.keys(given.headers)).toEqual(['authorization']);
    expect(given.headers.authorization).toMatch(/^Bearer ty_run_[\w-]{43}$/);
  });

  it('acts as the agent: get_context works from inside, and what it does carries its name', async () => {
    expect(await call(given.url, given.headers)).toMatchObject({
      status: 200,
      result: { structuredContent: { attempt_id, project_id } },
    });
    const created = await call(given.url, { ...given.headers, 'x-user-id': 'somebody-else' }, 'create_task', {
      project_id,
      title: 'Found on the way',
    });
    const { task_id } = created.result.structuredContent as { task_id: string };
    const [row] = await server.query<Json>(
      "SELECT actor, actor_type FROM audit_log WHERE task_id = $1 AND action = 'created'",
      [task_id],
    );
    expect(row).toEqual({ actor: '@caller', actor_type: 'agent' });
  });

  it('looks at its delivery and updates its own branch, and has nothing to deliver', async () => {
    const looked = await call(given.url, given.headers, 'get_attempt_delivery', { attempt_id });
    expect(looked.result.structuredContent).toMatchObject({ attempt_id, state: 'running', repos: [{ state: 'none' }] });
    const update = { attempt_id, action: 'start' };
    const updated = await call(given.url, given.headers, 'update_attempt_branch', update);
    expect(updated.result.structuredContent).toMatchObject({ repos: [{ status: 'up_to_date' }] });
    const merged = await call(given.url, given.headers, 'merge_attempt', { attempt_id });
    expect(merged.result.structuredContent).toMatchObject({ repos: [{ status: 'nothing_to_deliver' }] });
    const pushed = await call(given.url, given.headers, 'push_attempt', { attempt_id });
    expect(pushed.result.structuredContent).toMatchObject({ repos: [{ status: 'nothing_to_deliver' }] });
    const foreign = { ...update, attempt_id: '0198c0de-0000-7000-8000-00000000dead' };
    const other = await call(given.url, given.headers, 'update_attempt_branch', foreign);
    expect(other.result).toMatchObject({ isError: true, structuredContent: { code: 'forbidden' } });
  });

  it('S4: changes its own task and makes subtasks of it', async () => {
    const own = (await call(given.url, given.headers)).result.structuredContent as Json;
    const changed = await call(given.url, given.headers, 'update_task', { task_id: own.task_id, title: 'Renamed' });
    expect(changed.result.structuredContent).toMatchObject({ task: { task_id: own.task_id, title: 'Renamed' } });
    const created = await call(given.url, given.headers, 'create_task', { project_id, title: 'A part' });
    const { task_id } = created.result.structuredContent as { task_id: string };
    expect(await server.query('SELECT parent_task_id FROM tasks WHERE id = $1', [task_id])).toEqual([
      { parent_task_id: own.task_id },
    ]);
    const again = await call(given.url, given.headers, 'update_task', { task_id, status: 'inprogress' });
    expect(again.result.structuredContent).toMatchObject({ task: { task_id, status: 'inprogress' } });
  });

  it('S4: changes nothing else, starts, stops and deletes nothing', async () => {
    const task_id = await givenTask(client, project_id);
    const before = await server.query('SELECT * FROM tasks WHERE id = $1', [task_id]);
    const calls: [string, object][] = [
      ['update_task', { task_id, title: 'Mine now' }],
      ['delete_task', { task_id }],
      ['start_task_attempt', { task_id, executor: 'SHELL', prompt: 'true' }],
      ['follow_up', { attempt_id, prompt: 'go on' }],
      ['stop_attempt', { attempt_id }],
    ];
    for (const [name, args] of calls)
      expect([name, (await call(given.url, given.headers, name, args)).result]).toEqual([
        name,
        expect.objectContaining({
          isError: true,
          structuredContent: expect.objectContaining({ code: 'forbidden', hint: expect.stringMatching(/run|subtask/) }),
        }),
      ]);
    expect(await server.query('SELECT * FROM tasks WHERE id = $1', [task_id])).toEqual(before);
    expect(await server.query('SELECT id FROM executions WHERE task_id = $1', [task_id])).toEqual([]);
  });

  it('S4: is not shown what it may never call', async () => {
    const names = async (url: string, headers: Record<string, string>): Promise<string[]> => {
      const { text } = await sendLegacy(url, 'tools/list', {}, headers);
      const { result } = JSON.parse(text) as { result: { tools: { name: string }[] } };
      return result.tools.map(({ name }) => name);
    };
    const all = await names(given.url, token);
    const shown = await names(given.url, given.headers);
    expect(all.filter((name) => !shown.includes(name)).sort()).toEqual([
      'delete_task',
      'follow_up',
      'start_task_attempt',
      'stop_attempt',
    ]);
  });

  it('shows no other project', async () => {
    const other = await givenProject({ rest: new RestClient(server.url, token), repositories }, { name: 'Another' });
    const { projects } = (await call(given.url, given.headers, 'list_projects')).result.structuredContent as {
      projects: Json[];
    };
    expect(projects.map((project) => project.project_id as string)).toEqual([project_id]);
    expect(
      (await call(given.url, given.headers, 'list_tasks', { project_id: other.project_id })).result.structuredContent,
    ).toMatchObject({ code: 'project_not_found' });
  });

  it('opens nothing else', async () => {
    const second = await client.call('start_task_attempt', {
      task_id: await givenTask(client, project_id),
      executor: 'SHELL',
      prompt: 'true',
    });
    const places = [
      '/mcp',
      `/mcp?attempt_id=${second.attempt_id as string}`,
      `/mcp/approvals?attempt_id=${attempt_id}`,
      `/mcp/taskflow?attempt_id=${attempt_id}`,
      `/api/toolsets/kanban/tools/get_task?attempt_id=${attempt_id}`,
    ];
    for (const place of places)
      expect([place, await call(`${server.url}${place}`, given.headers)]).toEqual([
        place,
        expect.objectContaining({ status: 401, code: 'unauthenticated', hint: expect.stringContaining(attempt_id) }),
      ]);
    const { status } = await fetch(`${server.url}/api/attempts/${attempt_id}`, { headers: given.headers });
    expect(status).toBe(401);
  });

  it('is nowhere to be read: neither in the database nor in the log of the run', async () => {
    const secret = given.headers.authorization!.slice('Bearer '.length);
    const [{ stored }] = (await server.query<{ stored: boolean }>(
      "SELECT EXISTS (SELECT 1 FROM executions WHERE executions::text LIKE '%' || $1 || '%') AS stored",
      [secret],
    )) as [{ stored: boolean }];
    expect(stored).toBe(false);
    for (const channel of ['raw', 'normalized']) {
      const { page } = await client.call('tail_attempt_logs', { attempt_id, channel, limit: 500 });
      expect(JSON.stringify(page)).not.toContain(secret);
    }
  });

  it('ends with the run', async () => {
    writeFileSync(gate, '');
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: expect.stringContaining(attempt_id),
    });
    expect(await call(given.url, given.headers)).toMatchObject({
      status: 401,
      code: 'unauthenticated',
      hint: expect.stringContaining('has ended'),
    });
  });

  it('is refused where it was never given', async () => {
    expect(await call(given.url, { authorization: `Bearer ty_run_${'A'.repeat(43)}` })).toMatchObject({
      status: 401,
      code: 'unauthenticated',
    });
  });
});
