import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Envelope, Json } from '../../support/mcp-client.js';

const user_id = 'ada';
const board = Board.use();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(user_id);
  for (const handle of ['@claude', '@codex']) {
    await board.worker(handle);
    await board.member(project_id, handle);
  }
});

const call = (name: string, args: object = {}): Promise<Json> =>
  board.taskflow.call(`taskflow_${name}`, { user_id, ...args });
const refused = (name: string, args: object = {}): Promise<Envelope & Json> =>
  board.taskflow.refused(`taskflow_${name}`, { user_id, ...args });
const task = (): Promise<string> => board.task(project_id);

async function started(): Promise<string> {
  const task_id = await task();
  await call('start_task', { task_id });
  return task_id;
}

describe('User Story 3: agent workflow operations', () => {
  it('scenario 1: taskflow_start_task makes a pending task of the agent in_progress and sets started_at', async () => {
    const task_id = await task();
    await call('assign_task', { task_id, assignee_handle: '@claude' });
    expect(await board.read(task_id)).toMatchObject({ taskflow_status: 'pending', started_at: null });
    expect(await call('start_task', { user_id: '@claude', task_id })).toEqual({
      task_id,
      status: 'in_progress',
      title: 'Add a health check',
      progress_percent: 0,
    });
    expect(await board.read(task_id)).toMatchObject({
      taskflow_status: 'in_progress',
      assignee: '@claude',
      started_at: expect.any(String),
    });
  });

  it('scenario 2: taskflow_update_progress stores percent and note, and writes an audit row', async () => {
    const task_id = await started();
    expect(await call('update_progress', { task_id, percent: 40, note: 'The route answers.' })).toEqual({
      task_id,
      status: 'in_progress',
      title: 'Add a health check',
      progress_percent: 40,
    });
    expect((await board.read(task_id)).progress_percent).toBe(40);
    expect((await board.audit(task_id)).at(-1)).toMatchObject({
      action: 'progress_updated',
      actor: '@ada',
      actor_type: 'human',
      details: { before: 0, after: 40, note: 'The route answers.' },
    });
  });

  it('scenario 3: taskflow_request_review moves an in_progress task to review', async () => {
    const task_id = await started();
    expect(await call('request_review', { task_id })).toEqual({
      task_id,
      status: 'review',
      title: 'Add a health check',
      progress_percent: 0,
    });
    expect(await board.read(task_id)).toMatchObject({ taskflow_status: 'review', status: 'inreview', stage: 'VERIFY' });
  });

  it('scenario 4: taskflow_assign_task with assignee_handle assigns the task to that worker', async () => {
    const task_id = await task();
    expect(await call('assign_task', { task_id, assignee_handle: '@codex' })).toEqual({
      task_id,
      status: 'assigned',
      title: 'Add a health check',
      progress_percent: 0,
    });
    expect((await board.read(task_id)).assignee).toBe('@codex');
  });
});

describe('taskflow_assign_task', () => {
  it('takes assignee_id, or a handle in any case with or without @', async () => {
    const [first, second] = [await task(), await task()];
    await call('assign_task', { task_id: first, assignee_handle: 'CODEX' });
    const { assignee_id } = await board.read(first);
    await call('assign_task', { task_id: second, assignee_id });
    expect(await board.read(second)).toMatchObject({ assignee: '@codex', assignee_id });
  });

  it('takes exactly one of assignee_id and assignee_handle', async () => {
    const task_id = await task();
    expect(await refused('assign_task', { task_id })).toMatchObject({
      code: 'missing_target',
      status_code: 400,
      task_id,
      hint: expect.stringContaining('exactly one of assignee_id, assignee_handle'),
    });
    expect(await refused('assign_task', { task_id, assignee_id: task_id, assignee_handle: '@codex' })).toMatchObject({
      code: 'ambiguous_target',
      status_code: 400,
      task_id,
    });
    expect((await board.read(task_id)).assignee).toBeNull();
  });

  it('refuses an unknown worker, and one who is no member', async () => {
    const task_id = await task();
    await board.worker('@stranger');
    expect(await refused('assign_task', { task_id, assignee_handle: '@nobody' })).toMatchObject({
      code: 'worker_not_found',
      status_code: 404,
      message: 'Worker @nobody was not found.',
      task_id,
    });
    expect(await refused('assign_task', { task_id, assignee_handle: '@stranger' })).toMatchObject({
      code: 'assignee_not_member',
      status_code: 400,
      message: 'Worker @stranger is not a member of this project',
      task_id,
    });
  });

  it('replaces an assignee in free words', async () => {
    const { data } = await board.colibri.call('task_create', {
      title: 'Free words',
      project_id,
      assignee: 'the night shift',
    });
    await call('assign_task', { task_id: data.id, assignee_handle: '@codex' });
    expect((await board.colibri.call('task_get', { id: data.id })).data).toMatchObject({ assignee: '@codex' });
  });
});

describe('claiming', () => {
  it('gives an unassigned task to who starts it', async () => {
    const task_id = await task();
    await call('start_task', { user_id: '@codex', task_id });
    expect((await board.read(task_id)).assignee).toBe('@codex');
  });

  it('refuses a task that is assigned to another, names the assignee and hints at taskflow_assign_task', async () => {
    const task_id = await task();
    await call('assign_task', { task_id, assignee_handle: '@codex' });
    expect(await refused('start_task', { user_id: '@claude', task_id })).toMatchObject({
      code: 'already_claimed',
      status_code: 409,
      retryable: false,
      task_id,
      message: 'The task is already claimed by @codex.',
      hint: expect.stringMatching(/taskflow_assign_task.*@codex/),
    });
    expect(await board.read(task_id)).toMatchObject({ assignee: '@codex', taskflow_status: 'pending' });
  });

  it('lets an owner of the project start a task of another, who stays its assignee', async () => {
    const task_id = await task();
    await call('assign_task', { task_id, assignee_handle: '@codex' });
    expect(await call('start_task', { task_id })).toMatchObject({ status: 'in_progress' });
    expect((await board.read(task_id)).assignee).toBe('@codex');
  });

  it('is no second start for the same worker', async () => {
    const task_id = await started();
    expect(await refused('start_task', { task_id })).toMatchObject({
      code: 'invalid_transition',
      message:
        "Invalid status transition from 'in_progress' to 'in_progress'. Valid transitions: " +
        "['review', 'completed', 'blocked']",
    });
  });
});
