import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board, nowhere } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});

const archive = (task_id: unknown, body: object = {}) =>
  board.rest.answers(200, 'POST', `/api/tasks/${String(task_id)}/archive`, body);
const titles = (tasks: Json[]) => tasks.map(({ title }) => title as string);
const onBoard = async (query = '') => {
  const { columns } = await board.rest.does('GET', `/api/projects/${project_id}/board${query}`);
  const cards = (columns as Json[]).flatMap((column) => column.cards as Json[]);
  return { titles: titles(cards), count: (columns as Json[]).reduce((sum, { count }) => sum + Number(count), 0) };
};
const listed = async (query = '') =>
  titles((await board.rest.does('GET', `/api/projects/${project_id}/tasks${query}`)).tasks as Json[]);

describe('an archived task', () => {
  it('leaves the board, its counts and every list, and is found by filter and search', async () => {
    const task_id = await board.task(project_id, 'Long done heron');
    const kept = await board.task(project_id, 'Kept heron');
    expect(await archive(task_id)).toMatchObject({ task_id, archived_at: expect.any(String), status: 'todo' });
    expect(await onBoard()).toEqual({ titles: ['Kept heron'], count: 1 });
    expect((await onBoard('?search=heron')).titles).toEqual(['Kept heron']);
    expect(await listed()).toEqual(['Kept heron']);
    expect(await listed('?status=todo')).toEqual(['Kept heron']);
    expect(await listed('?query=heron')).toEqual(['Kept heron']);
    const colibri = await board.colibri.call('task_list', { project_id });
    expect(colibri.data).toMatchObject({ total_count: 1, tasks: [{ id: kept }] });
    const all = await board.colibri.call('task_list', { project_id, include_deleted: true });
    expect(all.data).toMatchObject({ total_count: 2 });
    expect(titles((await board.taskflow.call('taskflow_list_tasks', { project_id, user_id: 'ada' })).result)).toEqual([
      'Kept heron',
    ]);
    const { tasks } = await board.rest.does('GET', '/api/work');
    expect(titles(tasks as Json[])).not.toContain('Long done heron');

    expect(await onBoard('?archived=true')).toEqual({ titles: ['Long done heron'], count: 1 });
    expect((await onBoard('?archived=true&search=kept')).titles).toEqual([]);
    expect(await listed('?archived=true')).toEqual(['Long done heron']);
    expect(await listed('?archived=true&status=done')).toEqual([]);
    expect(await listed('?archived=true&query=heron')).toEqual(['Long done heron']);
    const { results } = await board.rest.does('GET', '/api/search?q=heron');
    expect(titles(results as Json[])).toEqual(['Kept heron', 'Long done heron']);
    expect(await board.read(task_id)).toMatchObject({ title: 'Long done heron' });
    await archive(kept);
  });

  it('comes back as it was, once, and says so to those who watch', async () => {
    const task_id = await board.task(project_id, 'Goes and comes');
    const before = await board.read(task_id);
    await archive(task_id);
    await archive(task_id);
    const { updated_at: _, ...after } = await archive(task_id, { archived: false });
    expect({ ...after, updated_at: before.updated_at }).toEqual(before);
    expect((await onBoard()).titles).toEqual(['Goes and comes']);
    const actions = (await board.audit(task_id)).map(({ action }) => action);
    expect(actions).toEqual(['created', 'archived', 'unarchived']);
    const { events } = await board.rest.does('GET', `/api/events?project_id=${project_id}&after=0`);
    const own = (events as Json[]).filter(({ subject }) => subject === task_id).map(({ type }) => type);
    expect(own).toEqual(['taskyard.task.created', 'taskyard.task.archived', 'taskyard.task.unarchived']);
    await archive(task_id);
  });

  it('is not one with a live run, and a new run brings it back', async () => {
    const { wait, open } = gate(board.server);
    const { task_id, attempt_id } = await board.attempt(project_id, wait);
    const path = `/api/tasks/${task_id}/archive`;
    const refusal = await board.rest.refuses('task_running', 'POST', path);
    expect(refusal).toMatchObject({ status: 409, details: { attempt_id } });
    open();
    await board.untilEnded(attempt_id as string);
    await archive(task_id);
    const { reviews } = await board.rest.does('GET', '/api/inbox');
    expect((reviews as Json[]).map((row) => row.task_id)).not.toContain(task_id);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo again' });
    await board.untilEnded(attempt_id as string);
    expect(await board.read(task_id as string)).toMatchObject({ archived_at: null, status: 'inreview' });
  });

  it('is deleted with its project', async () => {
    const closed = await board.bareProject();
    const task_id = await board.task(closed, 'Archived before');
    await archive(task_id);
    await board.rest.answers(200, 'DELETE', `/api/projects/${closed}`);
    await board.rest.refuses('task_not_found', 'GET', `/api/tasks/${task_id}`);
  });

  it('is archived by members alone', async () => {
    const closed = await board.bareProject('owen');
    await board.worker('@vera', 'human', 'vera');
    await board.as('owen').does('POST', `/api/projects/${closed}/members`, { handle: '@vera', role: 'viewer' });
    const { task_id } = await board.as('owen').does('POST', `/api/projects/${closed}/tasks`, { title: 'Of Owen' });
    const path = `/api/tasks/${task_id}/archive`;
    await board.as('vera').answers(403, 'POST', path);
    expect((await board.as('stranger').send('POST', path)).status).toBeGreaterThan(400);
    await board.rest.refuses('task_not_found', 'POST', `/api/tasks/${nowhere}/archive`);
    expect(await board.as('owen').does('POST', path)).toMatchObject({ archived_at: expect.any(String) });
  });
});
