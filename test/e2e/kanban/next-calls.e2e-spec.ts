import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { gate, givenAttempt } from '../../support/board.js';
import { givenWorktree, moveMain } from '../../support/delivery-ground.js';
import type { Json, McpClient } from '../../support/mcp-client.js';

const UNKNOWN = '0198c0de-0000-7000-8000-000000000001';

describe('the next call that a refusal names', () => {
  const board = Board.share();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await board.project());
  });

  const nextOf = async (tool: string, args: object, client: McpClient = board.kanban) =>
    (await client.refused(tool, args)).details.next as Json | undefined;
  const follow = async (tool: string, args: object): Promise<Json> => {
    const next = (await nextOf(tool, args))!;
    return board.kanban.call(next.tool as string, next.arguments as object);
  };

  it('is the one that yields what is missing or wrong', async () => {
    const projects = { tool: 'list_projects', arguments: {} };
    expect(await nextOf('create_task', { title: 'No project' })).toEqual(projects);
    expect(await nextOf('list_tasks', { project_id: UNKNOWN })).toEqual(projects);
    for (const [tool, args] of [
      ['get_task', { task_id: UNKNOWN }],
      ['get_attempt_status', { attempt_id: UNKNOWN }],
      ['merge_attempt', {}],
    ] as const)
      expect([tool, await nextOf(tool, args)]).toEqual([tool, projects]);
    const { task_id } = await board.kanban.call('create_task', { project_id, title: 'Start it' });
    const start = { task_id, executor: 'NOBODY' };
    expect(await nextOf('start_task_attempt', start)).toEqual({ tool: 'list_executors', arguments: {} });
    const elsewhere = { ...start, executor: 'SHELL', repos: [{ repo_id: UNKNOWN }] };
    expect(await nextOf('start_task_attempt', elsewhere)).toEqual({ tool: 'list_repos', arguments: { project_id } });
  });

  it('can be made as it is', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id, session_id } = await givenAttempt(board.kanban, project_id, wait);
    const message = { session_id, action: 'send', prompt: 'echo later', request_id: 'refused' };
    expect(await nextOf('follow_up', message)).toEqual({
      tool: 'follow_up',
      arguments: { session_id, action: 'queue', prompt: 'echo later' },
    });
    expect(await follow('follow_up', message)).toMatchObject({ queue_status: 'queued' });
    expect(await nextOf('follow_up', { ...message, prompt: 'x'.repeat(1_000) })).toMatchObject({
      tool: 'get_attempt_status',
    });
    const status = { tool: 'get_attempt_status', arguments: { attempt_id, wait_ms: 20_000 } };
    expect(await nextOf('merge_attempt', { attempt_id, allow_failed: true })).toEqual(status);
    const { details } = await board.rest.refuses('session_busy', 'POST', `/api/attempts/${attempt_id}/merge`, {});
    expect(details.next).toEqual({ method: 'GET', path: `/api/attempts/${attempt_id}?wait_ms=20000` });
    open();
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({ final_message: 'later' });
  });

  it('is a look where the caller has to decide, and consents to nothing', async () => {
    const failed = await board.endedAttempt(project_id, 'echo half > half.txt; exit 7');
    expect(await nextOf('merge_attempt', { attempt_id: failed.attempt_id, checked_out: 'update' })).toEqual({
      tool: 'tail_attempt_logs',
      arguments: { attempt_id: failed.attempt_id },
    });
    const moved = { attempt_id: failed.attempt_id, allow_failed: true, expected_head: '0000000' };
    expect(await nextOf('merge_attempt', moved)).toEqual({
      tool: 'get_attempt_changes',
      arguments: { attempt_id: failed.attempt_id },
    });
  });

  it('leads through a conflict', async () => {
    const { project_id: own, repository } = await board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const { attempt, tree } = await givenWorktree(board, own);
    const { attempt_id } = attempt;
    tree.write({ 'readme.md': 'ours\n' });
    moveMain(repository, { 'readme.md': 'theirs\n' });
    expect(await follow('merge_attempt', { attempt_id, strategy: 'squash' })).toMatchObject({
      action: 'start',
      repos: [{ status: 'conflict' }],
    });
    expect(await nextOf('merge_attempt', { attempt_id })).toMatchObject({ tool: 'get_attempt_delivery' });
    expect(await nextOf('update_attempt_branch', { attempt_id, action: 'continue' })).toEqual({
      tool: 'follow_up',
      arguments: { attempt_id, action: 'send', resolve: true },
    });
  });

  it('is one of the own dialect, or none', async () => {
    const user_id = 'u1';
    expect(await nextOf('taskflow_start_task', { user_id, task_id: UNKNOWN }, board.taskflow)).toEqual({
      tool: 'taskflow_list_projects',
      arguments: { user_id },
    });
    const { data } = await board.colibri.call('task_get', { id: UNKNOWN });
    expect(data.error.details).toEqual({ next: { tool: 'task_list', arguments: {} } });
    const lonely = await board.endedAttempt(project_id, 'echo new > new.txt');
    expect(await nextOf('push_attempt', { attempt_id: lonely.attempt_id })).toBeUndefined();
  });
});
