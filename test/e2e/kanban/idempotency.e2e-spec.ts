import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenEndedAttempt, givenProject, givenTask, type Project, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const newKey = (): string => `key-${randomUUID()}`;
const records = (key: string) =>
  server.query<{ operation: string; state: string }>(
    'SELECT operation, state FROM idempotency_keys WHERE key = $1 ORDER BY operation',
    [key],
  );

async function expectConflict(name: string, args: object): Promise<void> {
  expect(await client.refused(name, args)).toMatchObject({
    code: 'idempotency_conflict',
    retryable: false,
    hint: expect.stringContaining('Generate a new request_id'),
  });
}

describe('request_id idempotency for mutating MCP tools', () => {
  it('create_task retry returns same task id', async () => {
    const { project_id } = await givenProject(server, { name: 'Empty' });
    const call = { project_id, title: 'Once', description: 'only', request_id: newKey() };
    const first = await client.call('create_task', call);
    expect(await client.call('create_task', call)).toEqual({ ...first, replayed: true });
    expect(await client.call('list_tasks', { project_id })).toMatchObject({ count: 1, tasks: [first] });
  });

  it('start_task_attempt retry returns same attempt id', async () => {
    const task_id = await givenTask(client, project.project_id);
    const call = {
      task_id,
      executor: 'SHELL',
      repos: [{ repo_id: project.repo_id, target_branch: 'main' }],
      prompt: 'echo once',
      request_id: newKey(),
    };
    const first = await client.call('start_task_attempt', call);
    expect(await client.call('start_task_attempt', call)).toEqual({ ...first, replayed: true });
    await untilEnded(client, first.attempt_id);
    expect(await client.call('start_task_attempt', call)).toEqual({ ...first, replayed: true });
    expect(await client.call('list_task_attempts', { task_id })).toMatchObject({ count: 1 });
    expect(await server.query('SELECT id FROM executions WHERE task_id = $1', [task_id])).toEqual([
      { id: first.execution_process_id },
    ]);
  });

  it('request_id reuse with different payload is rejected', async () => {
    const request_id = newKey();
    const [title, otherTitle] = [`Original ${request_id}`, `Other ${request_id}`];
    const call = { project_id: project.project_id, title, description: 'a', request_id };
    const first = await client.call('create_task', call);
    for (const other of [
      { title: otherTitle },
      { description: 'b' },
      { description: undefined },
      { project_id: (await givenProject(server, { name: 'Another' })).project_id },
    ])
      await expectConflict('create_task', { ...call, ...other });
    expect(await client.call('create_task', call)).toEqual({ ...first, replayed: true });
    expect(await server.query('SELECT id FROM tasks WHERE title IN ($1, $2)', [title, otherTitle])).toEqual([
      { id: first.task_id },
    ]);
  });
});

describe('a key and its effect', () => {
  it.each(['send', 'queue'])('follow_up %s is done once', async (action) => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const { wait, open } = gate(server);
    if (action === 'queue') await client.call('follow_up', { attempt_id, action: 'send', prompt: wait });
    const call = { attempt_id, action, prompt: 'echo once', request_id: newKey() };
    const first = await client.call('follow_up', call);
    expect(await client.call('follow_up', call)).toEqual({ ...first, replayed: true });
    for (const other of [{ prompt: 'echo twice' }, { action: action === 'send' ? 'queue' : 'send' }])
      await expectConflict('follow_up', { ...call, ...other });
    open();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ final_message: 'once' });
    expect(await client.call('follow_up', call)).toEqual({ ...first, replayed: true });
    const { page } = await client.call('tail_session_messages', { attempt_id });
    expect(page.entries.filter(({ prompt }: Json) => prompt === 'echo once')).toHaveLength(1);
    expect(await records(call.request_id)).toEqual([{ operation: 'follow_up', state: 'completed' }]);
  });

  it('start_task_attempt with the same key and another payload is refused', async () => {
    const call = { task_id: await givenTask(client, project.project_id), executor: 'SHELL', request_id: newKey() };
    const { attempt_id } = await client.call('start_task_attempt', call);
    for (const other of [
      { prompt: 'x' },
      { repos: [{ repo_id: project.repo_id }] },
      { task_id: await givenTask(client, project.project_id) },
    ])
      await expectConflict('start_task_attempt', { ...call, ...other });
    await untilEnded(client, attempt_id);
  });

  it('belong to one operation: another one may use the key', async () => {
    const request_id = newKey();
    const { task_id } = await client.call('create_task', {
      project_id: project.project_id,
      title: 'Shared key',
      description: 'true',
      request_id,
    });
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL', request_id });
    await untilEnded(client, attempt_id);
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'true', request_id });
    await untilEnded(client, attempt_id);
    expect(await records(request_id)).toEqual(
      ['create_task', 'follow_up', 'start_task_attempt'].map((operation) => ({ operation, state: 'completed' })),
    );
  });

  it('belong to one principal: a stranger may use the key', async () => {
    const request_id = newKey();
    await server.query(
      `INSERT INTO idempotency_keys (operation, principal_id, key, request_hash, state, result, created_at,
         updated_at)
         VALUES ('create_task', 'somebody-else', $1, 'x', 'completed', '{}', now(), now())`,
      [request_id],
    );
    expect(await client.call('create_task', { project_id: project.project_id, title: 'Mine', request_id })).toEqual({
      task_id: expect.any(String),
    });
    expect(await server.rest.get(`/api/idempotency-keys/${request_id}`)).toMatchObject({
      status: 200,
      body: { requests: [{ operation: 'create_task', result: { task_id: expect.any(String) } }] },
    });
  });

  it('spellings of one request are one request', async () => {
    const request_id = newKey();
    const first = await client.call('create_task', { project_id: project.project_id, title: 'Same', request_id });
    for (const spelling of [
      { title: '  Same ' },
      { description: null },
      { description: '' },
      { wait_for_previous: true },
    ]) {
      expect(
        await client.call('create_task', { project_id: project.project_id, title: 'Same', request_id, ...spelling }),
      ).toEqual({ ...first, replayed: true });
    }
    const key = newKey();
    const { task_id } = first;
    const started = await client.call('start_task_attempt', { task_id, executor: 'SHELL', request_id: key });
    for (const spelling of [{ executor: 'shell' }, { variant: 'DEFAULT' }, { variant: null }, { prompt: '' }]) {
      expect(
        await client.call('start_task_attempt', { task_id, executor: 'SHELL', request_id: key, ...spelling }),
      ).toEqual({ ...started, replayed: true });
    }
    await untilEnded(client, started.attempt_id);
  });

  it('an empty key is no key, a long one is refused', async () => {
    const create = (request_id: unknown) =>
      client.call('create_task', { project_id: project.project_id, title: 'Keyless', request_id });
    const ids = [await create(''), await create(null), await create(undefined), await create('  ')].map(
      (answer) => answer.task_id as string,
    );
    expect(new Set(ids).size).toBe(4);
    expect(await create('k'.repeat(128))).toEqual({ task_id: expect.any(String) });
    expect(
      await client.refused('create_task', {
        project_id: project.project_id,
        title: 'Keyless',
        request_id: 'k'.repeat(129),
      }),
    ).toMatchObject({ code: 'invalid_argument', details: { fields: [{ field: 'request_id' }] } });
  });
});
