import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const user_id = 'auth0|ada';
const board = Board.use();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(user_id);
});

const call = (name: string, args: object = {}): Promise<Json> =>
  board.taskflow.call(`taskflow_${name}`, { user_id, ...args });
const add = async (title: string, more: object = {}): Promise<string> =>
  (await call('add_task', { project_id, title, ...more })).task_id as string;
const rows = async (args: object = {}): Promise<Json[]> =>
  (await call('list_tasks', { project_id, ...args })).result as Json[];

describe('User Story 1: an agent lists and manages tasks', () => {
  it('scenario 1: taskflow_list_tasks returns id, title, status and assignee_handle of the tasks', async () => {
    const id = await add('Write the guide');
    await call('start_task', { task_id: id });
    expect((await rows()).find((row) => row.id === id)).toEqual({
      id,
      title: 'Write the guide',
      status: 'in_progress',
      assignee_handle: '@auth0-ada',
      priority: 'medium',
      progress_percent: 0,
      due_date: null,
      tags: [],
      task_number: expect.any(Number),
    });
  });

  it('scenario 2: taskflow_add_task creates a task and returns task_id, status="created" and title', async () => {
    const answer = await call('add_task', { project_id, title: 'Add a health check', description: 'Answer 200.' });
    expect(answer).toEqual({
      task_id: expect.any(String),
      status: 'created',
      title: 'Add a health check',
      progress_percent: 0,
    });
    expect(await board.read(answer.task_id as string)).toMatchObject({
      project_id,
      title: 'Add a health check',
      description: 'Answer 200.',
      taskflow_status: 'pending',
      stage: 'INIT',
    });
  });

  it('scenario 3: taskflow_complete_task returns task_id, status="completed" and title', async () => {
    const task_id = await add('Close me');
    expect(await call('complete_task', { task_id })).toEqual({
      task_id,
      status: 'completed',
      title: 'Close me',
      progress_percent: 100,
    });
    expect(await board.read(task_id)).toMatchObject({
      taskflow_status: 'completed',
      status: 'done',
      stage: 'DONE',
      progress_percent: 100,
      completed_at: expect.any(String),
    });
  });
});

describe('User Story 2: an agent updates and deletes tasks', () => {
  it('scenario 1: taskflow_update_task returns task_id, status="updated" and the new title', async () => {
    const task_id = await add('Old title', { description: 'stays' });
    expect(await call('update_task', { task_id, title: 'New title' })).toEqual({
      task_id,
      status: 'updated',
      title: 'New title',
      progress_percent: 0,
    });
    expect(await board.read(task_id)).toMatchObject({ title: 'New title', description: 'stays' });
  });

  it('leaves out what is absent or null, and clears a description with an empty text', async () => {
    const task_id = await add('Title', { description: 'text' });
    await call('update_task', { task_id, title: null, description: 'new text' });
    expect(await board.read(task_id)).toMatchObject({ title: 'Title', description: 'new text' });
    await call('update_task', { task_id, description: '' });
    expect(await board.read(task_id)).toMatchObject({ title: 'Title', description: null });
  });

  it('refuses an update that names nothing to update', async () => {
    const task_id = await add('Title');
    expect(await board.taskflow.refused('taskflow_update_task', { user_id, task_id })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('title or description is required'),
      task_id,
    });
  });

  it('scenario 2: taskflow_delete_task without subtasks returns task_id, status="deleted" and title', async () => {
    const task_id = await add('Throw me away');
    expect(await call('delete_task', { task_id })).toEqual({
      task_id,
      status: 'deleted',
      title: 'Throw me away',
      progress_percent: 0,
    });
    expect((await rows()).map((row) => row.id)).not.toContain(task_id);
    expect(await board.taskflow.refused('taskflow_delete_task', { user_id, task_id })).toMatchObject({
      message: 'Task not found',
      task_id,
    });
  });
});

describe('User Story 4: an agent discovers projects', () => {
  it('scenario 1: taskflow_list_projects returns the projects the user belongs to with id, name and slug', async () => {
    const other = await board.bareProject('auth0|grace', 'Not mine');
    const { result } = await call('list_projects');
    expect(result).toContainEqual({
      id: project_id,
      name: 'Web shop',
      slug: 'web-shop',
      description: null,
      task_count: expect.any(Number),
      member_count: 1,
    });
    expect((result as Json[]).map((row) => row.id)).not.toContain(other);
  });

  it('counts live tasks and members, newest project first', async () => {
    const own = await board.bareProject('auth0|linus', 'Counted');
    const mine = (name: string, args: object) =>
      board.taskflow.call(`taskflow_${name}`, { user_id: 'auth0|linus', ...args });
    const [first] = [
      await mine('add_task', { project_id: own, title: 'one' }),
      await mine('add_task', { project_id: own, title: 'two' }),
    ];
    await mine('delete_task', { task_id: first.task_id });
    await board.rest.does('POST', `/api/projects/${own}/members`, { user_id });
    const { result } = await mine('list_projects', {});
    expect((result as Json[]).map(({ name, task_count, member_count }) => [name, task_count, member_count])).toEqual([
      ['Counted', 1, 2],
      ['Default', 0, 1],
    ]);
  });
});

describe('taskflow_list_tasks', () => {
  let own: string;
  const list = async (args: object = {}): Promise<string[]> =>
    (await rows({ project_id: own, ...args })).map((row) => row.title as string);
  beforeAll(async () => {
    own = await board.bareProject(user_id, 'Listed');
    for (const title of ['one', 'two', 'three', 'four', 'five']) await add(title, { project_id: own });
  });

  it('answers newest first, with limit and offset', async () => {
    expect(await list()).toEqual(['five', 'four', 'three', 'two', 'one']);
    expect(await list({ limit: 2 })).toEqual(['five', 'four']);
    expect(await list({ limit: 2, offset: 3 })).toEqual(['two', 'one']);
    expect(await list({ offset: 5 })).toEqual([]);
    expect(await list({ limit: 1_000_000 })).toHaveLength(5);
  });

  it('answers 50 unless asked, and never more than 100', async () => {
    const many = await board.bareProject(user_id, 'Many');
    await board.server.query(
      `INSERT INTO tasks (id, project_id, title, created_at, updated_at)
         SELECT gen_random_uuid(), $1, 'task ' || n, now(), now() FROM generate_series(1, 120) n`,
      [many],
    );
    expect(
      [await list({ project_id: many }), await list({ project_id: many, limit: 500 })].map((page) => page.length),
    ).toEqual([50, 100]);
  });

  it('filters by every status, and all is every status', async () => {
    const filtered = await board.bareProject(user_id, 'Filtered');
    const ids: Record<string, string> = {};
    for (const status of ['pending', 'in_progress', 'review', 'completed', 'blocked', 'cancelled'])
      ids[status] = await add(status, { project_id: filtered });
    await board.rest.does('PATCH', `/api/tasks/${ids.blocked}/status`, { status: 'blocked' });
    for (const [status, stage] of [
      ['in_progress', 'APPLY'],
      ['review', 'VERIFY'],
      ['completed', 'DONE'],
      ['cancelled', 'CANCELLED'],
    ])
      await board.rest.does('PUT', `/api/tasks/${ids[status!]}`, { stage });
    for (const status of Object.keys(ids))
      expect(await rows({ project_id: filtered, status })).toMatchObject([{ title: status, status }]);
    expect(await list({ project_id: filtered, status: 'all' })).toHaveLength(6);
  });

  it('answers the raw array as text and {result: […]} as structured content', async () => {
    const { content, structuredContent } = await board.taskflow.sdk.callTool({
      name: 'taskflow_list_tasks',
      arguments: { user_id, project_id: own },
    });
    const { text } = (content as { text: string }[])[0]!;
    expect(Array.isArray(JSON.parse(text))).toBe(true);
    expect({ result: JSON.parse(text) as unknown }).toEqual(structuredContent);
  });

  it('reads free words for a priority as the nearest of the four, and unknown ones as medium', async () => {
    const worded = await board.bareProject(user_id, 'Worded');
    for (const priority of ['critical', 'P1', 'urgent', 'constructor', null])
      await board.colibri.call('task_create', { title: String(priority), project_id: worded, priority });
    expect((await rows({ project_id: worded })).map(({ title, priority }) => [title, priority])).toEqual([
      ['null', 'medium'],
      ['constructor', 'medium'],
      ['urgent', 'critical'],
      ['P1', 'high'],
      ['critical', 'critical'],
    ]);
  });
});
