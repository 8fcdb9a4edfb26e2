import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const fields = { priority: 'P1', tags: ['backend', 'api'], due_date: '2027-01-31T12:00:00.000Z' };
const board = Board.share();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject();
});

const make = (more: object = {}) =>
  board.rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Task', ...more });
const put = (task_id: string, body: object) => board.rest.does('PUT', `/api/tasks/${task_id}`, body);

describe('priority, tags and due date', () => {
  it('are given to a new task, and read in every dialect that knows them', async () => {
    const task = await make(fields);
    expect(task).toMatchObject(fields);
    const { result } = await board.taskflow.call('taskflow_list_tasks', { user_id: 'ada', project_id, limit: 1 });
    expect(result).toMatchObject([
      { id: task.task_id, priority: 'high', tags: fields.tags, due_date: fields.due_date },
    ]);
    expect((await board.colibri.call('task_get', { id: task.task_id })).data).toMatchObject({ priority: 'P1' });
    expect((await board.kanban.call('get_task', { task_id: task.task_id })).task).toMatchObject(fields);
  });

  it('are nothing where they are not given', async () => {
    expect(await make({ priority: '', due_date: null })).toMatchObject({ priority: null, tags: [], due_date: null });
  });

  it('are changed, cleared with null, and left alone when absent', async () => {
    const { task_id } = await make(fields);
    expect(await put(task_id, { title: 'New' })).toMatchObject({ title: 'New', ...fields });
    expect(await put(task_id, { tags: ['one'], due_date: '2027-02-01T00:00:00+02:00' })).toMatchObject({
      priority: 'P1',
      tags: ['one'],
      due_date: '2027-01-31T22:00:00.000Z',
    });
    expect(await put(task_id, { priority: null, tags: [], due_date: null })).toMatchObject({
      priority: null,
      tags: [],
      due_date: null,
    });
  });

  it('that are what they were change nothing', async () => {
    const task = await make(fields);
    expect(await put(task.task_id, { ...fields, due_date: '2027-01-31T13:00:00+01:00' })).toEqual(task);
    expect(await board.audit(task.task_id as string)).toHaveLength(1);
  });

  it.each([
    ['due_date', '2027-01-31T12:00:00+99:99'],
    ['due_date', 'tomorrow'],
    ['priority', 'x'.repeat(65)],
    ['tags', 7],
    ['tags', ['']],
  ])('refuse a %s of %j', async (field, value) => {
    const { task_id } = await make(fields);
    const refusal = { status: 400, code: 'invalid_argument', message: expect.stringContaining(field) };
    expect(
      await board.rest.refused('POST', `/api/projects/${project_id}/tasks`, { title: 'x', [field]: value }),
    ).toMatchObject(refusal);
    expect(await board.rest.refused('PUT', `/api/tasks/${task_id}`, { title: 'x', [field]: value })).toMatchObject(
      refusal,
    );
    expect(await board.read(task_id as string)).toMatchObject({ title: 'Task', ...fields });
  });

  it('belong to what a request_id stands for', async () => {
    const once = { ...fields, request_id: 'fields-once' };
    const { task_id } = await make(once);
    expect((await make(once)).task_id).toBe(task_id);
    const others: Json[] = [{ due_date: '2027-02-01T12:00:00Z' }, { priority: 'low' }, { tags: [] }];
    for (const other of others)
      expect(
        await board.rest.refused('POST', `/api/projects/${project_id}/tasks`, { title: 'Task', ...once, ...other }),
      ).toMatchObject({ status: 409, code: 'idempotency_conflict' });
  });
});

describe('the assignee', () => {
  it('is a worker, and with null nobody again', async () => {
    const { task_id } = await make();
    const { worker_id } = await board.rest.does('POST', '/api/workers', {
      handle: '@fields',
      name: 'F',
      type: 'human',
    });
    const assign = (body: object) => board.rest.does('PATCH', `/api/tasks/${task_id}/assign`, body);
    expect(await assign({ assignee_id: worker_id })).toMatchObject({ assignee_id: worker_id, assignee: '@fields' });
    expect(await assign({ assignee_id: null })).toMatchObject({ assignee_id: null, assignee: null });
    expect((await board.rest.refuses('missing_target', 'PATCH', `/api/tasks/${task_id}/assign`, {})).status).toBe(400);
  });
});
