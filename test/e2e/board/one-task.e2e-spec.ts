import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenProject, type Project, untilEnded } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const user_id = 'ada';
const board = Board.use();
let project: Project;
beforeAll(async () => {
  project = await givenProject(board.server);
});

/** The same task as each of the three dialects reads it. */
async function seen(id: string): Promise<string[]> {
  const { task } = await board.kanban.call('get_task', { task_id: id });
  const { result } = await board.taskflow.call('taskflow_list_tasks', {
    user_id,
    project_id: project.project_id,
    limit: 100,
  });
  const { data } = await board.colibri.call('task_get', { id });
  const row = (result as Json[]).find((one) => one.id === id)!;
  expect([row.title, data.title]).toEqual([task.title, task.title]);
  return [
    task.is_blocked ? `${task.status} (blocked)` : task.status,
    row.status,
    data.is_blocked ? `${data.status} (blocked)` : data.status,
  ] as string[];
}

describe('one change seen in three dialects', () => {
  let id: string;
  const update = (patch: object) => board.colibri.call('task_update', { id, patch });

  it('task_create: todo, pending, INIT', async () => {
    ({ id } = (
      await board.colibri.call('task_create', { title: 'Say hello', project_id: 'web-shop', description: 'echo hello' })
    ).data as { id: string });
    expect(await seen(id)).toEqual(['todo', 'pending', 'INIT']);
  });

  it('taskflow_start_task: inprogress, in_progress, GATHER', async () => {
    await board.taskflow.call('taskflow_start_task', { user_id, task_id: id });
    expect(await seen(id)).toEqual(['inprogress', 'in_progress', 'GATHER']);
    expect((await board.colibri.call('task_get', { id })).data.assignee).toBe('@ada');
  });

  it('task_update to PLAN: inprogress, in_progress, PLAN', async () => {
    await update({ status: 'PLAN' });
    expect(await seen(id)).toEqual(['inprogress', 'in_progress', 'PLAN']);
  });

  it('kanban update_task to inprogress keeps PLAN', async () => {
    await board.kanban.call('update_task', { task_id: id, status: 'inprogress' });
    expect(await seen(id)).toEqual(['inprogress', 'in_progress', 'PLAN']);
  });

  it('PATCH status blocked: inprogress with the flag, blocked, PLAN with the flag', async () => {
    await board.rest.does('PATCH', `/api/tasks/${id}/status`, { status: 'blocked' });
    expect(await seen(id)).toEqual(['inprogress (blocked)', 'blocked', 'PLAN (blocked)']);
  });

  it('a coarse status that already holds does not unblock', async () => {
    await board.kanban.call('update_task', { task_id: id, status: 'inprogress' });
    expect(await seen(id)).toEqual(['inprogress (blocked)', 'blocked', 'PLAN (blocked)']);
  });

  it('taskflow_start_task unblocks: inprogress, in_progress, PLAN', async () => {
    await board.taskflow.call('taskflow_start_task', { user_id, task_id: id });
    expect(await seen(id)).toEqual(['inprogress', 'in_progress', 'PLAN']);
  });

  it('an agent runs: the stage stays PLAN while it works', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await board.kanban.call('start_task_attempt', {
      task_id: id,
      executor: 'SHELL',
      prompt: `${wait}\necho done`,
    });
    expect(await seen(id)).toEqual(['inprogress', 'in_progress', 'PLAN']);
    open();
    await untilEnded(board.kanban, attempt_id as string);
  });

  it('the agent ends: inreview, review, VERIFY', async () => {
    expect(await seen(id)).toEqual(['inreview', 'review', 'VERIFY']);
  });

  it('taskflow_complete_task: done, completed with progress 100, DONE, and no record is needed', async () => {
    expect(await board.taskflow.call('taskflow_complete_task', { user_id, task_id: id })).toMatchObject({
      status: 'completed',
      progress_percent: 100,
    });
    expect(await seen(id)).toEqual(['done', 'completed', 'DONE']);
    expect((await board.colibri.call('task_next_actions')).data.tasks).toEqual([]);
  });

  it('task_update to DONE with no record: an inner ERR_WRITEBACK_REQUIRED, all unchanged', async () => {
    await update({ status: 'APPLY' });
    expect(await update({ status: 'DONE' })).toMatchObject({
      ok: true,
      data: { ok: false, error: { code: 'ERR_WRITEBACK_REQUIRED' } },
    });
    expect(await seen(id)).toEqual(['inprogress', 'in_progress', 'APPLY']);
    expect(await board.read(id)).toMatchObject({ completed_at: null, progress_percent: 100 });
  });

  it('kanban cancels: cancelled in all three, and it leaves task_next_actions', async () => {
    expect((await board.colibri.call('task_next_actions')).data).toMatchObject({ total_count: 1, tasks: [{ id }] });
    await board.kanban.call('update_task', { task_id: id, status: 'cancelled' });
    expect(await seen(id)).toEqual(['cancelled', 'cancelled', 'CANCELLED']);
    expect((await board.colibri.call('task_next_actions')).data).toEqual({ tasks: [], total_count: 0 });
    expect(await board.taskflow.refused('taskflow_start_task', { user_id, task_id: id })).toMatchObject({
      message: "Invalid status transition from 'cancelled' to 'in_progress'. Valid transitions: []",
    });
  });

  it('taskflow_delete_task: not found in all three, and only listed with include_deleted', async () => {
    await board.taskflow.call('taskflow_delete_task', { user_id, task_id: id });
    expect(await board.kanban.refused('get_task', { task_id: id })).toMatchObject({ code: 'task_not_found' });
    expect(await board.taskflow.refused('taskflow_start_task', { user_id, task_id: id })).toMatchObject({
      message: 'Task not found',
    });
    expect(await board.colibri.call('task_get', { id })).toMatchObject({
      data: { ok: false, error: { code: 'ERR_NOT_FOUND' } },
    });
    expect((await board.colibri.call('task_list')).data).toEqual({ tasks: [], total_count: 0 });
    expect((await board.colibri.call('task_list', { include_deleted: true })).data).toMatchObject({
      total_count: 1,
      tasks: [{ id, status: 'CANCELLED', deleted_at: expect.any(String) }],
    });
  });
});

describe('a task without a project', () => {
  it('is reached by its id in every dialect, is in no list of a project, and is not attempted', async () => {
    const {
      data: { id },
    } = (await board.colibri.call('task_create', { title: 'Loose' })) as { data: { id: string } };
    expect((await board.kanban.call('get_task', { task_id: id })).task).toMatchObject({
      project_id: null,
      status: 'todo',
    });
    expect(await board.taskflow.call('taskflow_start_task', { user_id, task_id: id })).toMatchObject({
      status: 'in_progress',
    });
    expect(
      (await board.kanban.call('list_tasks', { project_id: project.project_id })).tasks.map(
        (task: Json) => task.task_id,
      ),
    ).not.toContain(id);
    expect(await board.kanban.refused('start_task_attempt', { task_id: id, executor: 'SHELL' })).toMatchObject({
      retryable: false,
      hint: expect.stringMatching(/project/),
    });
    expect(await board.colibri.call('task_update', { id, patch: { project_id: 'web-shop' } })).toMatchObject({
      data: { project_id: project.project_id },
    });
    expect(
      (await board.kanban.call('list_tasks', { project_id: project.project_id })).tasks.map(
        (task: Json) => task.task_id,
      ),
    ).toContain(id);
  });
});
