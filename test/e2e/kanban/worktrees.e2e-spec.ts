import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  gate,
  givenAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
  untilLine,
} from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';

const server = InProcessServer.use({
  MAX_CONCURRENT_EXECUTIONS: '1',
  MAX_CONCURRENT_PER_PROJECT: '1',
});
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

/** While it runs, every other run waits in the queue, however many runners there are. */
async function givenBusyServer(): Promise<() => Promise<void>> {
  const { wait, open } = gate(server);
  const { attempt_id } = await givenAttempt(client, project.project_id, `echo busy; ${wait}`);
  await untilLine(client, attempt_id, 'busy');
  return async () => {
    open();
    await untilEnded(client, attempt_id);
  };
}

describe('the worktrees behind the artifacts', () => {
  it('are there for an attempt that was stopped before it started', async () => {
    const release = await givenBusyServer();
    const { attempt_id, execution_process_id } = await givenAttempt(client, project.project_id, 'echo never');
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'running' });
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({
      stopped: true,
      state: 'failed',
      execution_process_id,
    });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: 'killed before it started',
    });
    expect(await client.call('get_attempt_changes', { attempt_id })).toMatchObject({ blocked: false, files: [] });
    expect(await client.call('get_attempt_file', { attempt_id, path: 'web/readme.md' })).toMatchObject({
      content: '# hello\n',
    });
    await release();
    expect(await client.call('tail_attempt_logs', { attempt_id, channel: 'raw' })).toMatchObject({
      page: { entries: [] },
    });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo now' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'now' });
  });

  it('are lost, not awaited, where they could not be made', async () => {
    const release = await givenBusyServer();
    project.repository.git('branch', 'short-lived');
    const { attempt_id } = await client.call('start_task_attempt', {
      task_id: await givenTask(client, project.project_id),
      executor: 'SHELL',
      repos: [{ repo_id: project.repo_id, target_branch: 'short-lived' }],
    });
    project.repository.git('branch', '--delete', 'short-lived');
    await release();
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('no branch short-lived'),
    });
    expect(await client.refused('get_attempt_changes', { attempt_id })).toMatchObject({
      code: 'workspace_lost',
      retryable: false,
      hint: expect.stringContaining('start_task_attempt'),
    });
  });
});
