import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenAttempt, givenEndedAttempt, givenProject, type Project, untilEnded } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { holdKey } from '../../support/idempotency-keys.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const prompts = async (of: McpClient, attempt_id: string): Promise<string[]> =>
  (await of.call('tail_session_messages', { attempt_id })).page.entries.map((entry: Json) => entry.prompt as string);

/** A call over plain HTTP whose client goes away when `leave` is called. */
function callAndLeave(name: string, args: object): { leave: () => void; left: Promise<unknown> } {
  const controller = new AbortController();
  const left = fetchAsOwner(`${server.url}/mcp`, {
    method: 'POST',
    signal: controller.signal,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  }).then(
    () => 'answered',
    (error: Error) => error.name,
  );
  return { leave: () => controller.abort(), left };
}

describe('retries with a request_id', () => {
  it.each(['attempt_id', 'session_id'])(
    'a key that was used for one target (%s) never answers for another',
    async (target) => {
      const [one, other] = [
        await givenEndedAttempt(client, project.project_id),
        await givenEndedAttempt(client, project.project_id),
      ];
      const call = { action: 'send', prompt: 'echo same words', request_id: `weakness-5-${target}` };
      const first = await client.call('follow_up', { [target]: one[target], ...call });
      expect(await client.refused('follow_up', { [target]: other[target], ...call })).toMatchObject({
        code: 'idempotency_conflict',
        retryable: false,
      });
      expect(await client.call('follow_up', { [target]: one[target], ...call })).toEqual({ ...first, replayed: true });
      await untilEnded(client, one.attempt_id);
      expect([
        (await prompts(client, one.attempt_id)).length,
        (await prompts(client, other.attempt_id)).length,
      ]).toEqual([2, 1]);
    },
  );

  it('a queue call is answered again, and not queued again, after its message has run', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, wait);
    const queue = (n: number) =>
      client.call('follow_up', { attempt_id, action: 'queue', prompt: `echo ${n}`, request_id: `weakness-6-${n}` });
    const first = await queue(1);
    const second = await queue(2);
    expect(await queue(1)).toEqual({ ...first, replayed: true });
    expect(
      (await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo 2', request_id: 'weakness-6-2' }))
        .queued_message,
    ).toEqual(second.queued_message);
    open();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ final_message: '2' });
    expect(await queue(2)).toEqual({ ...second, replayed: true });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'completed',
      has_queued_message: false,
    });
    expect((await prompts(client, attempt_id)).slice(1)).toEqual(['echo 1', 'echo 2']);
  });

  it('a queue call and its message outlive a restart', async () => {
    let own = await TestServer.start();
    try {
      let mcp = await own.mcp();
      const { project_id } = await givenProject(own);
      const { attempt_id } = await givenAttempt(mcp, project_id, 'echo ready; sleep 600');
      await untilSaid(mcp, attempt_id as string, 'ready'); // what has not begun begins after the restart
      const call = { attempt_id, action: 'queue', prompt: 'echo after the restart', request_id: 'weakness-6' };
      const first = await mcp.call('follow_up', call);
      expect(first).toMatchObject({ queue_status: 'queued', queued_message: { message: 'echo after the restart' } });
      own = await own.restart();
      mcp = await own.mcp();
      expect(await mcp.call('follow_up', call)).toEqual({ ...first, replayed: true });
      expect(await untilEnded(mcp, attempt_id)).toMatchObject({
        state: 'completed',
        final_message: 'after the restart',
      });
      expect(await mcp.call('follow_up', call)).toEqual({ ...first, replayed: true });
      expect((await prompts(mcp, attempt_id)).slice(1)).toEqual(['echo after the restart']);
    } finally {
      await own.stop();
    }
  });

  it('a key whose first request is at work is retryable, with a hint of its own', async () => {
    const held = await holdKey(server, 'create_task', 'weakness-7');
    const call = { project_id: project.project_id, title: 'Slow', request_id: 'weakness-7' };
    const refused = await client.refused('create_task', call); // after 10 s
    expect(refused).toMatchObject({
      code: 'idempotency_in_progress',
      retryable: true,
      hint: expect.stringMatching(/same request_id and the same arguments/),
    });
    await held.rollback();
    expect(await client.call('create_task', call)).toEqual({ task_id: expect.any(String) });
  });

  it('a client that leaves in the middle of a call blocks no retry, and its work is done once', async () => {
    const call = { project_id: project.project_id, title: 'Left alone', request_id: 'weakness-8' };
    const held = await holdKey(server, 'create_task', 'weakness-8');
    const { leave, left } = callAndLeave('create_task', call);
    await held.untilSomebodyWaits();
    leave();
    expect(await left).toBe('AbortError');
    await held.rollback();
    const { task_id } = await client.call('create_task', call);
    expect(await server.query("SELECT id FROM tasks WHERE title = 'Left alone'")).toEqual([{ id: task_id }]);
  });

  it('a start whose client has left goes on, and the retry finds it', async () => {
    const { task_id } = await client.call('create_task', {
      project_id: project.project_id,
      title: 'Left alone again',
      description: 'echo alone',
    });
    const call = { task_id, executor: 'SHELL', request_id: 'weakness-8-start' };
    const held = await holdKey(server, 'start_task_attempt', 'weakness-8-start');
    const { leave, left } = callAndLeave('start_task_attempt', call);
    await held.untilSomebodyWaits();
    leave();
    await left;
    await held.rollback();
    const attempt_id = await eventually<string | null>(
      'the attempt',
      async () => (await client.call('get_task', { task_id })).task.latest_attempt_id,
    );
    expect(await client.call('start_task_attempt', call)).toMatchObject({ attempt_id });
    expect(await untilEnded(client, attempt_id!)).toMatchObject({ state: 'completed', final_message: 'alone' });
    expect(await client.call('list_task_attempts', { task_id })).toMatchObject({ count: 1 });
  });
});
