import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { taskStatus, untilSaid } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

/** Lives until it is stopped, or until its worktree holds a file `go`. */
const UNTIL_GO = 'echo ready; until [ -e go ]; do sleep 0.05; done';

describe('runs move their task over the board', () => {
  const server = TestServer.share();
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  const start = (task_id: string, prompt = UNTIL_GO): Promise<Json> =>
    client.call('start_task_attempt', { task_id, executor: 'SHELL', prompt });
  const isLive = async (task_id: string): Promise<boolean> =>
    (await client.call('get_task', { task_id })).task.has_in_progress_attempt as boolean;

  async function stop(attempt_id: string): Promise<void> {
    expect(await client.call('stop_attempt', { attempt_id, force: true })).toMatchObject({ stopped: true });
  }

  it('is in progress from the start on, and in review from the end on, also after a failure', async () => {
    const task_id = await givenTask(client, project_id);
    expect(await taskStatus(client, task_id)).toBe('todo');
    const { attempt_id } = await start(task_id, 'exit 1');
    await untilEnded(client, attempt_id);
    expect(await taskStatus(client, task_id)).toBe('inreview');

    const second = await start(task_id);
    expect(await taskStatus(client, task_id)).toBe('inprogress');
    await stop(second.attempt_id);
    expect(await taskStatus(client, task_id)).toBe('inreview');

    await client.call('follow_up', { attempt_id: second.attempt_id, action: 'send', prompt: UNTIL_GO });
    expect(await taskStatus(client, task_id)).toBe('inprogress');
    await stop(second.attempt_id);
  });

  it.each(['done', 'cancelled', 'todo'])('leaves alone what a person set to %s while it ran', async (status) => {
    const task_id = await givenTask(client, project_id);
    const { attempt_id } = await start(task_id);
    await untilSaid(client, attempt_id, 'ready');
    await client.call('update_task', { task_id, status });
    await stop(attempt_id);
    expect(await taskStatus(client, task_id)).toBe(status);
  });

  it.each(['done', 'cancelled'])('does not reopen a task that is %s when a run starts', async (status) => {
    const task_id = await givenTask(client, project_id);
    const { attempt_id } = await start(task_id, 'true');
    await untilEnded(client, attempt_id);
    await client.call('update_task', { task_id, status });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'true' });
    expect(await taskStatus(client, task_id)).toBe(status);
    await untilEnded(client, attempt_id);
    expect(await taskStatus(client, task_id)).toBe(status);
  });

  it('waits for the last of two attempts before the review', async () => {
    const task_id = await givenTask(client, project_id);
    const [first, second] = [await start(task_id), await start(task_id)];
    await stop(first.attempt_id);
    expect(await isLive(task_id)).toBe(true);
    expect(await taskStatus(client, task_id)).toBe('inprogress');
    await stop(second.attempt_id);
    expect(await taskStatus(client, task_id)).toBe('inreview');
  });

  it('reaches the review also when both attempts end at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const task_id = await givenTask(client, project_id);
      const attempts = [await start(task_id), await start(task_id)];
      await Promise.all(attempts.map(({ attempt_id }) => untilSaid(client, attempt_id as string, 'ready')));
      await Promise.all(attempts.map(({ attempt_id }) => stop(attempt_id as string)));
      expect(await taskStatus(client, task_id)).toBe('inreview');
    }
  });
});
