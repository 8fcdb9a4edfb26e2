import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_WAIT_MS } from '../../../src/platform/fields/paging.js';
import { TIMEOUT_MS } from '../../../src/gateway/api-client.js';
import {
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
  untilLine,
} from '../../support/board.js';
import { TestGateway } from '../../support/gateway.js';
import type { McpClient } from '../../support/mcp-client.js';
import { sendLegacy, sendModern } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const unknownId = '0198c0de-0000-7000-8000-00000000dead';
let server: TestServer;
let gateway: TestGateway;
let client: McpClient;
let project: Project;
beforeAll(async () => {
  server = await TestServer.start();
  gateway = await TestGateway.start(`${server.url}/`);
  client = await gateway.mcp();
  project = await givenProject(server);
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

/** What the server and the gateway answer, but for the id that each request has of its own. */
async function fromBoth<T>(ask: (url: string) => Promise<T>): Promise<[T, T]> {
  const answers = JSON.stringify(await Promise.all([ask(server.url), ask(gateway.url)]));
  return JSON.parse(answers.replace(/(http_request_id\\*":\\*")[0-9a-f-]{36}/g, '$1')) as [T, T];
}

describe('the loop through the gateway', () => {
  it('goes from a task to a diff, a follow-up and a stop', async () => {
    const task_id = await givenTask(client, project.project_id, 'echo hello > greeting.txt\necho done');
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed', final_message: 'done' });
    expect((await client.call('get_attempt_patch', { attempt_id, paths: ['web/greeting.txt'] })).patch).toContain(
      '+hello',
    );
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo ready; sleep 60' });
    await untilLine(client, attempt_id as string, 'ready');
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: 'killed',
    });
    expect((await (await server.mcp()).call('get_task', { task_id })).task.status).toBe('inreview');
  });

  it('waits as long as the server does', async () => {
    expect(TIMEOUT_MS).toBeGreaterThan(MAX_WAIT_MS);
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, `${wait}; echo open`);
    let isOver = false;
    const waiting = client.call('get_attempt_status', { attempt_id, wait_ms: 25_000 }).then((status) => {
      isOver = true;
      return status;
    });
    // other calls pass it
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'running' });
    expect(isOver).toBe(false);
    open();
    expect(await waiting).toMatchObject({ state: 'completed', final_message: 'open' });
  });

  it('repeats a write that carries its request_id', async () => {
    const task = { project_id: project.project_id, title: 'Once', request_id: 'gateway-once' };
    expect((await client.call('create_task', task)).task_id).toBe(
      (await (await server.mcp()).call('create_task', task)).task_id,
    );
  });

  it('passes answers of any size and any text', async () => {
    const description = `${'Grüße, 世界 😀 \u2028 "quoted" \\ '.repeat(20_000)}end`;
    const { task_id } = await client.call('create_task', {
      project_id: project.project_id,
      title: 'Large',
      description,
    });
    expect((await client.call('get_task', { task_id })).task.description).toBe(description);
  });
});

describe('an endpoint of the gateway that is bound to an attempt', () => {
  it('knows its context', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const bound = await gateway.mcp(`?attempt_id=${attempt_id}`);
    expect(await bound.call('get_context')).toEqual(
      await (await server.mcp(`?attempt_id=${attempt_id}`)).call('get_context'),
    );
    expect(await bound.call('get_context')).toMatchObject({ attempt_id });
  });
});

describe('refusals through the gateway', () => {
  const calls: [string, object][] = [
    ['get_task', { task_id: unknownId }],
    ['get_task', {}],
    ['get_task', { task_id: 17, colour: 'red' }],
    ['follow_up', { attempt_id: unknownId, action: 'send' }],
    ['follow_up', { attempt_id: unknownId, session_id: unknownId, action: 'queue', prompt: 'x' }],
    ['tail_attempt_logs', { attempt_id: unknownId, cursor: 1, after_entry_index: 2 }],
    ['start_task_attempt', { task_id: unknownId, executor: 'NOBODY' }],
  ];
  it.each(calls)('are those of the server: %s %j', async (name, args) => {
    const [direct, forwarded] = await fromBoth((url) =>
      sendLegacy(`${url}/mcp`, 'tools/call', { name, arguments: args }),
    );
    expect(direct.text).toContain('"isError":true');
    expect(forwarded).toMatchObject({ status: direct.status, text: direct.text });
  });

  const messages: [string, object][] = [
    ['tools/call', { name: 'get_tusk' }],
    ['tools/call', { name: 'get_context' }],
    ['tools/call', { name: 'get_task', arguments: [] }],
    ['tools/list', { cursor: 'x' }],
    ['prompts/get', { name: 'nothing' }],
    ['resources/read', { uri: 'taskyard://nothing' }],
    ['nothing/here', {}],
  ];
  it.each(messages)('are those of the server for %s %j, in both eras', async (method, params) => {
    for (const send of [sendLegacy, sendModern]) {
      const [direct, forwarded] = await fromBoth((url) => send(`${url}/mcp`, method, params));
      expect(direct.text).toContain('"error":{');
      expect(forwarded).toMatchObject({ status: direct.status, text: direct.text });
    }
  });

  it.each(['?attempt_id=17', `?attempt_id=${unknownId}`, '?readonly=maybe', '?schema=strict', '?colour=red'])(
    'of a wrong address are those of the server: %s',
    async (query) => {
      const [direct, forwarded] = await fromBoth((url) => sendLegacy(`${url}/mcp${query}`, 'tools/list'));
      expect(direct.status).toBeGreaterThanOrEqual(400);
      expect(forwarded).toMatchObject({ status: direct.status, text: direct.text });
    },
  );

  it.each([
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
    ['GET', '/nowhere'],
  ])('of %s %s are those of the server', async (method, at) => {
    const [direct, forwarded] = await fromBoth(async (url) => {
      const answer = await fetchAsOwner(url + at, { method });
      return [answer.status, answer.headers.get('allow'), await answer.text()];
    });
    expect(direct[0]).toBeGreaterThanOrEqual(404);
    expect(forwarded).toEqual(direct);
  });
});

describe('the other dialects through the gateway', () => {
  const calls: [string, string, object][] = [
    ['/mcp/taskflow', 'taskflow_complete_task', { user_id: 'ada', task_id: unknownId }],
    ['/mcp/taskflow', 'taskflow_add_task', { user_id: 'ada' }],
    ['/mcp/taskflow', 'taskflow_list_projects', { user_id: 'ada' }],
    ['/mcp/colibri', 'task_get', { id: unknownId }], // refused in a result
    ['/mcp/colibri', 'task_create', {}],
    ['/mcp/colibri', 'task_list', {}],
  ];
  it.each(calls)('answer as on the server: %s %s %j', async (at, name, args) => {
    for (const send of [sendLegacy, sendModern]) {
      const [direct, forwarded] = await fromBoth((url) => send(url + at, 'tools/call', { name, arguments: args }));
      expect(direct.text).toContain('"result":{"content"');
      expect(forwarded).toMatchObject({ status: direct.status, text: direct.text });
    }
  });
});

describe('completions through the gateway', () => {
  const ref = { type: 'ref/prompt', name: 'work_on_task' };
  const branches = { project_id: '', repo_id: '' };
  it.each([
    ['executor', 'SH', {}],
    ['status', 'in', {}],
    ['variant', '', { executor: 'SHELL' }],
    ['target_branch', '', branches],
    ['colour', '', {}],
  ])('are those of the server: %s', async (name, value, context) => {
    const chosen = context === branches ? { project_id: project.project_id, repo_id: project.repo_id } : context;
    const params = { ref, argument: { name, value }, context: { arguments: chosen } };
    const [direct, forwarded] = await fromBoth((url) => sendLegacy(`${url}/mcp`, 'completion/complete', params));
    expect(forwarded.text).toBe(direct.text);
    if (name === 'target_branch') expect(forwarded.text).toContain('"main"');
    if (name === 'executor') expect(forwarded.text).toContain('"SHELL"');
  });
});
