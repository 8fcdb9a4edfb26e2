import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenAttempt, givenProject, givenTask, type Project, untilEnded } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
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

describe('a refused call', () => {
  it('may be sent again with the same key once the world is right', async () => {
    const start = {
      task_id: await givenTask(client, project.project_id),
      executor: 'SHELL',
      repos: [{ repo_id: project.repo_id, target_branch: 'hotfix' }],
      request_id: newKey(),
    };
    expect(await client.refused('start_task_attempt', start)).toMatchObject({ code: 'branch_unknown' });
    expect(await records(start.request_id)).toEqual([]);
    project.repository.git('branch', 'hotfix');
    const { attempt_id } = await client.call('start_task_attempt', start);
    await untilEnded(client, attempt_id);

    const { wait, open } = gate(server);
    const busy = await givenAttempt(client, project.project_id, wait);
    const send = { attempt_id: busy.attempt_id, action: 'send', prompt: 'echo sent', request_id: newKey() };
    expect(await client.refused('follow_up', send)).toMatchObject({ code: 'session_busy' });
    expect(await records(send.request_id)).toEqual([]);
    open();
    await untilEnded(client, busy.attempt_id);
    expect(await client.call('follow_up', send)).toMatchObject({ execution_process_id: expect.any(String) });
    expect(await untilEnded(client, busy.attempt_id)).toMatchObject({ final_message: 'sent' });
  });

  it('may be sent again with the same key and corrected arguments', async () => {
    const request_id = newKey();
    expect(
      await client.refused('create_task', {
        project_id: '0198c0de-0000-7000-8000-00000000dead',
        title: 'Misplaced',
        request_id,
      }),
    ).toMatchObject({ code: 'project_not_found' });
    expect(await client.call('create_task', { project_id: project.project_id, title: 'Placed', request_id })).toEqual({
      task_id: expect.any(String),
    });
  });
});

describe('the first result', () => {
  it('is answered even when what it made is gone', async () => {
    const call = { project_id: project.project_id, title: 'Short-lived', request_id: newKey() };
    const first = await client.call('create_task', call);
    const start = { task_id: first.task_id, executor: 'SHELL', prompt: 'true', request_id: newKey() };
    const started = await client.call('start_task_attempt', start);
    await untilEnded(client, started.attempt_id);
    await client.call('delete_task', { task_id: first.task_id });
    expect([await client.call('create_task', call), await client.call('start_task_attempt', start)]).toEqual([
      { ...first, replayed: true },
      { ...started, replayed: true },
    ]);
  });

  it('is the same over REST and MCP: Idempotency-Key is request_id', async () => {
    const key = newKey();
    const path = `/api/projects/${project.project_id}/tasks`;
    const over = await client.call('create_task', {
      project_id: project.project_id,
      title: 'Both',
      description: 'surfaces',
      request_id: key,
    });
    const rest = await server.rest.post(path, { title: 'Both', description: 'surfaces' }, { 'idempotency-key': key });
    expect(rest).toMatchObject({ status: 201, body: { task_id: over.task_id } });
    expect(await server.rest.post(path, { title: 'Else' }, { 'idempotency-key': key })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict', retryable: false },
    });

    const start = newKey();
    const started = await server.rest.post(
      `/api/tasks/${over.task_id}/attempts`,
      { executor: 'SHELL', prompt: 'true' },
      { 'idempotency-key': start },
    );
    expect(started.status).toBe(201);
    expect(
      await client.call('start_task_attempt', {
        task_id: over.task_id,
        executor: 'SHELL',
        prompt: 'true',
        request_id: start,
      }),
    ).toEqual({ ...started.body, replayed: true });
    const { attempt_id } = started.body;
    await untilEnded(client, attempt_id);
    const send = newKey();
    const sent = await client.call('follow_up', { attempt_id, action: 'send', prompt: 'true', request_id: send });
    expect(
      await server.rest.post(
        `/api/attempts/${attempt_id}/follow-up`,
        { action: 'send', prompt: 'true' },
        { 'idempotency-key': send },
      ),
    ).toMatchObject({ status: 200, body: sent });
    await untilEnded(client, attempt_id);
  });

  it('is told by GET /api/idempotency-keys/{key}', async () => {
    const key = `a key/with "signs" ${newKey()}`;
    const look = () => server.rest.get(`/api/idempotency-keys/${encodeURIComponent(key)}`);
    expect(await look()).toMatchObject({
      status: 404,
      body: { code: 'idempotency_key_not_found', hint: expect.stringContaining('same key') },
    });
    const result = await client.call('create_task', {
      project_id: project.project_id,
      title: 'Looked up',
      request_id: key,
    });
    expect(await look()).toMatchObject({
      status: 200,
      body: {
        key,
        requests: [{ operation: 'create_task', state: 'completed', result, created_at: expect.stringMatching(/Z$/) }],
      },
    });
  });
});
