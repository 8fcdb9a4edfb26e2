import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';

const board = Board.use();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(undefined, 'Web shop');
});

const data = async (name: string, args: object = {}): Promise<Json> =>
  (await board.colibri.call(name, args)).data as Json;
const create = (fields: object = {}): Promise<Json> => data('task_create', { title: 'Task', ...fields });
const update = (id: unknown, patch: object): Promise<Json> => data('task_update', { id, patch });
const refused = (name: string, args: object): Promise<Json> => board.colibri.refused(name, args);
const think = (task_id: unknown): Promise<Json> =>
  data('thought_record', { task_id, type: 'plan', agent_id: '@claude', content: 'x' });

describe('a patch', () => {
  const full = { description: 'text', priority: 'P1', assignee: 'Ada', project_id: 'web-shop' };

  it('clears with null and keeps what is absent', async () => {
    const { id } = await create(full);
    expect(await update(id, { description: null })).toMatchObject({ ...full, project_id, description: null });
    expect(await update(id, { priority: null, assignee: null })).toMatchObject({
      title: 'Task',
      project_id,
      description: null,
      priority: null,
      assignee: null,
    });
    expect(await update(id, { project_id: null })).toMatchObject({ project_id: null });
  });

  it('that is empty or says what holds changes nothing, updated_at neither', async () => {
    const task = await create(full);
    expect(await update(task.id, {})).toEqual(task);
    expect(await update(task.id, { ...full, title: 'Task', status: 'INIT' })).toEqual(task);
  });

  it.each([
    ['no patch', {}, 'patch is required'],
    ['a status outside the patch', { patch: {}, status: 'PLAN' }, 'status is not a field'],
    ['an unknown field', { patch: { state: 'PLAN' } }, 'patch.state is not a field'],
    ['a blank title', { patch: { title: ' ' } }, 'patch.title must not be blank'],
    ['an empty title', { patch: { title: '' } }, 'patch.title'],
    ['an endless title', { patch: { title: 'x'.repeat(501) } }, 'title is longer than 500 characters'],
    ['an endless priority', { patch: { priority: 'x'.repeat(65) } }, 'priority is longer than 64 characters'],
    ['an endless assignee', { patch: { assignee: 'x'.repeat(256) } }, 'assignee is longer than 255 characters'],
    ['a number for a text', { patch: { description: 7 } }, 'patch.description must be string'],
  ])('is INVALID_PARAMS with %s', async (_, args, message) => {
    const { id, ...before } = await create();
    expect(await refused('task_update', { id, ...args })).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_PARAMS',
        message: expect.stringContaining(message),
        retryable: false,
        details: { issues: [{ message: expect.stringContaining(message) }] },
      },
    });
    expect(await data('task_get', { id })).toEqual({ id, ...before });
  });

  it('moves to any stage from any stage, also out of the end', async () => {
    const { id } = await create({ status: 'CANCELLED' });
    for (const status of ['VERIFY', 'INIT', 'APPLY', 'GATHER', 'CANCELLED', 'PLAN'])
      expect(await update(id, { status })).toMatchObject({ status });
  });
});

describe('the gate of DONE', () => {
  it('names an unknown task first', async () => {
    expect(await update(nowhere, { status: 'DONE' })).toMatchObject({
      ok: false,
      error: { code: 'ERR_NOT_FOUND', taskId: nowhere },
    });
  });

  it('lets nothing of the patch through', async () => {
    const task = await create({ description: 'old' });
    expect(await update(task.id, { status: 'DONE', title: 'New', description: 'new', assignee: 'Ada' })).toMatchObject({
      error: { code: 'ERR_WRITEBACK_REQUIRED', missing_fields: ['thought_record'], taskId: task.id },
    });
    expect(await data('task_get', { id: task.id })).toEqual(task);
  });

  it('asks also from DONE to DONE, and is satisfied by a record of any type', async () => {
    const { id } = await create({ status: 'DONE' });
    expect(await update(id, { status: 'DONE' })).toMatchObject({ error: { code: 'ERR_WRITEBACK_REQUIRED' } });
    await think(id);
    expect(await update(id, { status: 'DONE' })).toMatchObject({ id, status: 'DONE' });
  });

  it('asks for a record of this very task', async () => {
    const [mine, other] = [await create(), await create()];
    await think(other.id);
    expect(await update(mine.id, { status: 'DONE' })).toMatchObject({ error: { code: 'ERR_WRITEBACK_REQUIRED' } });
  });

  it('is not asked by CANCELLED, by other stages, by other fields of a DONE task, nor by task_create', async () => {
    const { id } = await create({ status: 'DONE' });
    expect(await update(id, { title: 'Still done' })).toMatchObject({ status: 'DONE', title: 'Still done' });
    for (const status of ['GATHER', 'CANCELLED']) expect(await update(id, { status })).toMatchObject({ status });
  });

  it('stands before writes of this dialect alone: what TaskFlow completed is DONE without a record', async () => {
    const { id } = await create({ project_id });
    for (const status of ['in_progress', 'review', 'completed'])
      await board.rest.does('PATCH', `/api/tasks/${id}/status`, { status });
    expect(await data('task_get', { id })).toMatchObject({ id, status: 'DONE' });
    expect(await update(id, { title: 'Still done' })).toMatchObject({ status: 'DONE', title: 'Still done' });
    expect(await update(id, { status: 'DONE' })).toMatchObject({ error: { code: 'ERR_WRITEBACK_REQUIRED' } });
    await think(id);
    expect(await update(id, { status: 'DONE' })).toMatchObject({ id, status: 'DONE' });
  });

  it('also stands for a task that is done on the board: completed_at and progress follow', async () => {
    const { id } = await create({ status: 'DONE', project_id });
    expect(await board.read(id as string)).toMatchObject({
      status: 'done',
      taskflow_status: 'completed',
      progress_percent: 100,
      completed_at: expect.any(String),
    });
  });
});

describe('project_id', () => {
  it('is an id in any case, or a slug', async () => {
    for (const reference of [project_id, project_id.toUpperCase(), 'web-shop'])
      expect(await create({ project_id: reference })).toMatchObject({ project_id });
    const { id } = await create();
    expect(await update(id, { project_id: 'web-shop' })).toMatchObject({ project_id });
  });

  it('of a project nobody knows is an outer HANDLER_ERROR that names it and nothing of the database', async () => {
    const task = await create();
    for (const unknown of [nowhere, 'no-shop', "x' OR '1'='1"]) {
      const error = {
        code: 'HANDLER_ERROR',
        message: `Project ${unknown} was not found.`,
        retryable: false,
        hint: expect.any(String),
      };
      expect(await refused('task_create', { title: 'x', project_id: unknown })).toEqual({ ok: false, error });
      expect(await refused('task_update', { id: task.id, patch: { title: 'New', project_id: unknown } })).toEqual({
        ok: false,
        error,
      });
    }
    expect(await data('task_get', { id: task.id })).toEqual(task);
  });

  it('of a deleted project is unknown', async () => {
    const gone = await board.bareProject(undefined, 'Gone');
    await board.rest.does('DELETE', `/api/projects/${gone}`);
    for (const reference of [gone, 'gone'])
      expect(await refused('task_create', { title: 'x', project_id: reference })).toMatchObject({
        error: { code: 'HANDLER_ERROR', message: `Project ${reference} was not found.` },
      });
  });
});

describe('assignee', () => {
  it('that names a worker is that worker, with or without @; other words stay words', async () => {
    const worker_id = await board.worker('@ada', 'human', 'auth0|ada');
    for (const assignee of ['@ada', 'Ada', worker_id]) {
      const { id, assignee: read } = await create({ assignee });
      expect([read, (await board.read(id as string)).assignee_id]).toEqual(['@ada', worker_id]);
    }
    const { id } = await create({ assignee: 'Ada Lovelace' });
    expect(await board.read(id as string)).toMatchObject({ assignee: 'Ada Lovelace', assignee_id: null });
    expect(await update(id, { assignee: '@ada' })).toMatchObject({ assignee: '@ada' });
    expect(await update(id, { assignee: 'nobody in particular' })).toMatchObject({ assignee: 'nobody in particular' });
  });
});

describe('task_create', () => {
  it('makes one task for one request_id', async () => {
    const once = { title: 'Once', request_id: 'colibri-once' };
    const made = await create(once);
    expect(made.replayed).toBeUndefined();
    expect(await create(once)).toEqual({ ...made, replayed: true });
    expect(await refused('task_create', { ...once, title: 'Twice' })).toMatchObject({
      ok: false,
      error: { code: 'HANDLER_ERROR', message: expect.stringContaining('request_id') },
    });
  });
});

describe('a deleted task', () => {
  it('is not there for any tool', async () => {
    const { id } = await create({ project_id });
    await think(id);
    await board.kanban.call('delete_task', { task_id: id });
    for (const [name, args] of [
      ['task_get', { id }],
      ['task_update', { id, patch: { status: 'DONE' } }],
      ['thought_record', { task_id: id, type: 'plan', agent_id: 'x', content: 'x' }],
      ['thought_record_list', { task_id: id }],
      ['audit_verify_chain', { task_id: id }],
    ] as const) {
      expect(await data(name, args)).toMatchObject({ ok: false, error: { code: 'ERR_NOT_FOUND', taskId: id } });
    }
    for (const name of ['task_list', 'task_next_actions'])
      expect(((await data(name)).tasks as Json[]).map((task) => task.id)).not.toContain(id);
    expect(((await data('thought_record_list')).records as Json[]).map((record) => record.task_id)).not.toContain(id);
  });
});
