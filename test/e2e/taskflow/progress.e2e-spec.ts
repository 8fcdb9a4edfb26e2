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
const move = (task_id: string, status: string): Promise<Json> =>
  board.as(user_id).does('PATCH', `/api/tasks/${task_id}/status`, { status });

async function started(): Promise<string> {
  const task_id = await task();
  await call('start_task', { task_id });
  return task_id;
}

describe('progress', () => {
  it('is only reported for a task in progress', async () => {
    const task_id = await task();
    const only = {
      code: 'task_not_in_progress',
      status_code: 400,
      message: 'Can only update progress for in_progress tasks',
      task_id,
      hint: expect.stringContaining('taskflow_start_task'),
    };
    expect(await refused('update_progress', { task_id, percent: 10 })).toMatchObject(only);
    await call('start_task', { task_id });
    await move(task_id, 'blocked');
    expect(await refused('update_progress', { task_id, percent: 10 })).toMatchObject(only);
    await call('start_task', { task_id });
    await call('request_review', { task_id });
    expect(await refused('update_progress', { task_id, percent: 10 })).toMatchObject(only);
  });

  it('goes from 0 to 100, up and down, and 100 does not complete the task', async () => {
    const task_id = await started();
    for (const percent of [100, 30, 0])
      expect(await call('update_progress', { task_id, percent })).toMatchObject({
        status: 'in_progress',
        progress_percent: percent,
      });
    for (const percent of [-1, 101, 1.5, 'forty'])
      expect(await refused('update_progress', { task_id, percent })).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('percent'),
        task_id,
      });
  });

  it('keeps a note that comes without a new figure', async () => {
    const task_id = await started();
    await call('update_progress', { task_id, percent: 0, note: 'Still thinking.' });
    expect((await board.audit(task_id)).at(-1)).toMatchObject({
      action: 'progress_updated',
      details: { before: 0, after: 0, note: 'Still thinking.' },
    });
  });
});

describe('a blocked task', () => {
  it('keeps its stage, and comes back to it', async () => {
    const task_id = await started();
    await board.rest.does('PUT', `/api/tasks/${task_id}`, { stage: 'PLAN' });
    expect(await move(task_id, 'blocked')).toMatchObject({
      taskflow_status: 'blocked',
      status: 'inprogress',
      stage: 'PLAN',
      is_blocked: true,
    });
    expect(await move(task_id, 'in_progress')).toMatchObject({
      taskflow_status: 'in_progress',
      stage: 'PLAN',
      is_blocked: false,
    });
  });

  it('is unblocked to pending, and by taskflow_start_task', async () => {
    const task_id = await task();
    expect(await move(task_id, 'blocked')).toMatchObject({
      taskflow_status: 'blocked',
      stage: 'INIT',
      is_blocked: true,
    });
    expect(await move(task_id, 'pending')).toMatchObject({
      taskflow_status: 'pending',
      stage: 'INIT',
      is_blocked: false,
    });
    await move(task_id, 'blocked');
    expect(await call('start_task', { task_id })).toMatchObject({ status: 'in_progress' });
    expect(await board.read(task_id)).toMatchObject({ stage: 'GATHER', is_blocked: false, assignee: '@ada' });
  });
});
