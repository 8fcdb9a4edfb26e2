import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Envelope, Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';

const user_id = 'ada';
const stranger = 'mallory';
const board = Board.share();
let project_id: string;
let task_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(user_id);
  task_id = await board.task(project_id);
});

const call = (name: string, args: object): Promise<Json> =>
  board.taskflow.call(`taskflow_${name}`, { user_id, ...args });
const refused = (name: string, args: object): Promise<Envelope & Json> =>
  board.taskflow.refused(`taskflow_${name}`, { user_id, ...args });

/** Every tool that names a task, with what it needs besides. */
const onTask: [string, object][] = [
  ['complete_task', {}],
  ['delete_task', {}],
  ['update_task', { title: 'x' }],
  ['assign_task', { assignee_handle: '@ada' }],
  ['start_task', {}],
  ['update_progress', { percent: 1 }],
  ['request_review', {}],
];
const onProject: [string, object][] = [
  ['add_task', { title: 'x' }],
  ['list_tasks', {}],
];

describe('Edge case: task_id does not exist', () => {
  it.each(onTask)('taskflow_%s answers "Task not found" with the task_id', async (name, more) => {
    expect(await refused(name, { ...more, task_id: nowhere })).toEqual({
      error: true,
      status_code: 404,
      message: 'Task not found',
      task_id: nowhere,
      code: 'task_not_found',
      retryable: false,
      hint: 'Call taskflow_list_tasks with a project_id and use one of its task_id values.',
      details: {
        task_id: nowhere,
        next: { tool: 'taskflow_list_projects', arguments: { user_id: expect.any(String) } },
      },
    });
  });

  it('says so of a deleted task, too', async () => {
    const gone = await board.task(project_id);
    await call('delete_task', { task_id: gone });
    for (const [name, more] of onTask)
      expect(await refused(name, { ...more, task_id: gone })).toMatchObject({
        message: 'Task not found',
        task_id: gone,
      });
  });

  it.each(onTask)('taskflow_%s refuses what is no id at all, repeats it and hints at the list', async (name, more) => {
    expect(await refused(name, { ...more, task_id: '17' })).toMatchObject({
      error: true,
      status_code: 400,
      code: 'invalid_argument',
      message: 'The arguments are not valid: task_id must be a UUID.',
      task_id: '17',
      hint: expect.stringContaining('taskflow_list_tasks'),
    });
  });

  it.each(onProject)(
    'taskflow_%s answers "Project not found" for a project that does not exist',
    async (name, more) => {
      expect(await refused(name, { ...more, project_id: nowhere })).toMatchObject({
        error: true,
        status_code: 404,
        message: 'Project not found',
        code: 'project_not_found',
        task_id: null,
        hint: expect.stringContaining('taskflow_list_projects'),
      });
    },
  );
});

describe('Edge case: user_id is not a member of the project', () => {
  const notAMember = {
    error: true,
    status_code: 403,
    message: 'Not a member of this project',
    code: 'not_a_member',
    retryable: false,
    hint: expect.stringContaining('taskflow_list_projects'),
  };

  it.each(onTask)('taskflow_%s answers "Not a member of this project" and does nothing', async (name, more) => {
    const before = await board.read(task_id);
    expect(await refused(name, { ...more, user_id: stranger, task_id })).toMatchObject({ ...notAMember, task_id });
    expect(await board.read(task_id)).toEqual(before);
  });

  it.each(onProject)('taskflow_%s answers "Not a member of this project"', async (name, more) => {
    expect(await refused(name, { ...more, user_id: stranger, project_id })).toMatchObject({
      ...notAMember,
      task_id: null,
    });
  });
});

describe('Edge case: an invalid status transition is attempted', () => {
  it('returns the valid transitions, in the message and in the hint', async () => {
    const fresh = await board.task(project_id);
    expect(await refused('request_review', { task_id: fresh })).toEqual({
      error: true,
      status_code: 400,
      task_id: fresh,
      code: 'invalid_transition',
      retryable: false,
      message:
        "Invalid status transition from 'pending' to 'review'. Valid transitions: ['in_progress', " +
        "'blocked', 'completed']",
      hint:
        "From pending only these are allowed: ['in_progress', 'blocked', 'completed']. " +
        'Call taskflow_start_task first, then repeat the call.',
      details: {
        project_id,
        from: 'pending',
        to: 'review',
        allowed: ["'in_progress'", "'blocked'", "'completed'"],
        next: { tool: 'taskflow_start_task', arguments: { user_id: 'ada', task_id: fresh } },
      },
    });
  });
});

describe('Edge case: a task with subtasks is deleted', () => {
  it('answers "Cannot delete task with subtasks" until they are gone', async () => {
    const parent = await board.task(project_id);
    const { task_id: child } = await board.rest.does('POST', `/api/tasks/${parent}/subtasks`, { title: 'Part one' });
    expect(await refused('delete_task', { task_id: parent })).toMatchObject({
      error: true,
      status_code: 409,
      message: 'Cannot delete task with subtasks',
      code: 'task_has_subtasks',
      task_id: parent,
      hint: `Delete its subtasks first: ${child}.`,
    });
    expect(await board.read(parent)).toMatchObject({ task_id: parent });
    await call('delete_task', { task_id: child });
    expect(await call('delete_task', { task_id: parent })).toMatchObject({ status: 'deleted' });
  });
});

describe('a refused argument', () => {
  it.each([
    ['add_task', 'title must not be blank', { title: ' ' }],
    ['add_task', 'title must have at most 200 characters', { title: 'x'.repeat(201) }],
    ['add_task', 'description must have at most 2000 characters', { title: 'x', description: 'x'.repeat(2_001) }],
    ['add_task', 'priority is not a field', { title: 'x', priority: 'high' }],
    [
      'list_tasks',
      'status must be one of: all, pending, in_progress, review, completed, blocked, cancelled',
      { status: 'shipped' },
    ],
    ['list_tasks', 'limit', { limit: 0 }],
    ['list_tasks', 'offset', { offset: -1 }],
    ['list_tasks', 'user_id must have at most 200 characters', { user_id: 'x'.repeat(201) }],
    ['list_tasks', 'user_id must not be blank', { user_id: '  ' }],
  ])('of taskflow_%s is named: %s', async (name, message, args) => {
    expect(await refused(name, { project_id, ...args })).toMatchObject({
      error: true,
      status_code: 400,
      code: 'invalid_argument',
      message: expect.stringContaining(message),
      task_id: null,
    });
  });

  it.each([['list_projects', {}], ...onTask.map(([name, more]) => [name, { ...more, task_id: nowhere }] as const)])(
    'is a missing user_id, for taskflow_%s',
    async (name, args) => {
      expect(await board.taskflow.refused(`taskflow_${name}`, args)).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('user_id is required'),
      });
    },
  );

  it('is never a title at the limits of the dialect', async () => {
    const title = 'é'.repeat(200);
    expect(await call('add_task', { project_id, title, description: '😀'.repeat(2_000) })).toMatchObject({
      status: 'created',
      title,
    });
  });
});
