import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { TURN_QUEUE, type TurnQueue } from '../../../src/platform/queue/turn-queue.js';
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
import { eventually } from '../../support/eventually.js';
import type { McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';

const server = InProcessServer.use({
  MAX_CONCURRENT_EXECUTIONS: '1',
  MAX_CONCURRENT_PER_PROJECT: '1',
  WORKTREE_TTL_HOURS: '1',
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

const worktree = (attempt_id: string): string => `${server.environment.DATA_DIR}/worktrees/${attempt_id}/web`;

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

  it('come back from their branch after a long rest, and are kept where they hold uncommitted work', async () => {
    const resting = await givenEndedAttempt(
      client,
      project.project_id,
      'echo done > done.txt; git add .; git -c user.name=a -c user.email=a@b commit -qm work',
    );
    const dirty = await givenEndedAttempt(client, project.project_id, 'echo draft > draft.txt');
    await server.query("UPDATE attempts SET updated_at = now() - interval '2 hours'");
    await server.query("UPDATE executions SET updated_at = now() - interval '2 hours'");
    await server.app.get<TurnQueue>(TURN_QUEUE).addHousekeeping(null, { kind: 'expire_workspaces', data: {} });
    await eventually('the rested worktree to go', () => !existsSync(worktree(resting.attempt_id)));
    expect(
      await client.call('get_attempt_file', { attempt_id: resting.attempt_id, path: 'web/done.txt' }),
    ).toMatchObject({ content: 'done\n' });
    expect(await client.call('get_attempt_changes', { attempt_id: resting.attempt_id })).toMatchObject({
      files: ['web/done.txt'],
    });
    expect(
      await client.call('get_attempt_file', { attempt_id: dirty.attempt_id, path: 'web/draft.txt' }),
    ).toMatchObject({ content: 'draft\n' });
  });
});
