import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, givenProject, givenTask, untilEnded, untilLine } from '../support/board.js';
import type { McpClient } from '../support/mcp-client.js';
import { TestServer } from '../support/server.js';

describe('the closed loop over MCP', () => {
  const server = TestServer.share();
  let client: McpClient;

  beforeAll(async () => {
    client = await server.mcp();
  });

  it('goes from a task to a diff, a follow-up and a stop', async () => {
    const { project_id } = await givenProject(server);
    const task_id = await givenTask(client, project_id, 'echo hello > greeting.txt\necho done');
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'SHELL' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: 'done',
      failure_summary: null,
    });
    expect(await allRawLines(client, attempt_id)).toEqual(['done']);
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/greeting.txt']);
    expect((await client.call('get_attempt_patch', { attempt_id, paths: ['web/greeting.txt'] })).patch).toContain(
      '+hello',
    );
    expect((await client.call('get_attempt_file', { attempt_id, path: 'web/greeting.txt' })).content).toBe('hello\n');
    expect((await client.call('get_task', { task_id })).task.status).toBe('inreview');

    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo again; sleep 60' });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'running' });
    await untilLine(client, attempt_id, 'again'); // before, it would be withdrawn
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true, state: 'failed' });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: 'killed',
    });
  });
});
