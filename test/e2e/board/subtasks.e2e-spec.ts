import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { nowhere } from '../../support/board-fixture.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const user_id = 'ada';
const board = Board.share();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject();
});

const below = (task_id: string, title = 'Part', more: object = {}) =>
  board.rest.send('POST', `/api/tasks/${task_id}/subtasks`, { title, ...more });
const child = async (task_id: string): Promise<string> => (await below(task_id)).body.task_id as string;

describe('a subtask', () => {
  it('is made below its parent, in the project of the parent, with the fields of a task', async () => {
    const parent = await board.task(project_id);
    const due_date = '2027-01-31T12:00:00.000Z';
    expect(
      await below(parent, ' Part one ', { description: 'First.', priority: 'high', tags: ['a', 'b'], due_date }),
    ).toMatchObject({
      status: 201,
      body: {
        parent_task_id: parent,
        project_id,
        title: 'Part one',
        description: 'First.',
        priority: 'high',
        tags: ['a', 'b'],
        due_date,
        taskflow_status: 'pending',
      },
    });
    const { result } = await board.taskflow.call('taskflow_list_tasks', { user_id, project_id, limit: 1 });
    expect(result).toMatchObject([{ title: 'Part one', priority: 'high', tags: ['a', 'b'], due_date }]);
  });

  it('is listed below its parent, the newest first, page by page', async () => {
    const parent = await board.task(project_id);
    const place = `/api/tasks/${parent}/subtasks`;
    expect(await board.rest.does('GET', place)).toMatchObject({ task_id: parent, tasks: [], count: 0 });
    for (const title of ['One', 'Two', 'Three']) await below(parent, title);
    const first = await board.rest.does('GET', `${place}?limit=2`);
    expect(first.tasks).toMatchObject([{ title: 'Three', status: 'todo' }, { title: 'Two' }]);
    const second = await board.rest.does('GET', `${place}?limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ tasks: [{ title: 'One' }], has_more: false });
    await board.rest.refuses('task_not_found', 'GET', `/api/tasks/${nowhere}/subtasks`);
  });

  it.each([
    ['2026-01-01T00:00:00+99:99', 'due_date'],
    ['tomorrow', 'due_date'],
    ['2026-13-01T00:00:00Z', 'due_date'],
  ])('is not due at %s', async (due_date, field) => {
    expect(await below(await board.task(project_id), 'Part', { due_date })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', details: { fields: [{ field }] } },
    });
  });

  it('is made once with one Idempotency-Key', async () => {
    const parent = await board.task(project_id);
    const send = async () =>
      (
        await fetchAsOwner(`${board.server.url}/api/tasks/${parent}/subtasks`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': 'part-1' },
          body: '{"title":"Part"}',
        })
      ).json() as Promise<{ task_id: string }>;
    expect((await send()).task_id).toBe((await send()).task_id);
  });

  it('may have subtasks of its own, and belongs to a task without a project, too', async () => {
    const { data } = await board.colibri.call('task_create', { title: 'Without a project' });
    const first = await child(data.id as string);
    expect((await below(first)).body).toMatchObject({ parent_task_id: first, project_id: null });
  });

  it('needs a parent that is there', async () => {
    expect(await below(nowhere)).toMatchObject({ status: 404, body: { code: 'task_not_found' } });
    const gone = await board.task(project_id);
    await board.rest.does('DELETE', `/api/tasks/${gone}`);
    expect(await below(gone)).toMatchObject({ status: 404, body: { code: 'task_not_found' } });
  });

  it('keeps its parent in the dialects that have no word for it', async () => {
    const parent = await board.task(project_id);
    const part = await child(parent);
    const refusals = await Promise.all([
      board.rest.send('POST', `/api/tasks/${parent}/subtasks`, { title: 'x', parent_task_id: part }),
      board.taskflow.refused('taskflow_update_task', { user_id, task_id: parent, parent_task_id: part }),
      board.colibri.refused('task_update', { id: parent, patch: { parent_task_id: part } }),
    ]);
    for (const refusal of refusals) expect(JSON.stringify(refusal)).toContain('parent_task_id is not a field');
    expect([(await board.read(parent)).parent_task_id, (await board.read(part)).parent_task_id]).toEqual([
      null,
      parent,
    ]);
  });

  it('stays in one project with its parent, and a task with its attempts', async () => {
    const parent = await board.task(project_id);
    const part = await child(parent);
    const { project_id: coded } = await givenProject(board.server);
    const tried = await board.task(coded);
    await board.rest.does('POST', `/api/tasks/${tried}/attempts`);
    const move = (id: string, to: string | null) =>
      board.colibri.refused('task_update', { id, patch: { project_id: to, title: 'Moved' } });
    for (const [id, reason] of [
      [parent, 'it has subtasks'],
      [part, 'it is a subtask'],
      [tried, 'it has attempts'],
    ]) {
      for (const to of [await board.bareProject(), null])
        expect(await move(id!, to)).toMatchObject({
          ok: false,
          error: {
            code: 'HANDLER_ERROR',
            message: `The task cannot move to another project: ${reason}.`,
            retryable: false,
          },
        });
      expect((await board.read(id!)).title).not.toBe('Moved');
    }
    expect(await board.colibri.call('task_update', { id: part, patch: { project_id, title: 'Stayed' } })).toMatchObject(
      { data: { title: 'Stayed' } },
    );
  });
});

describe('a task with live subtasks', () => {
  it('is deleted in no dialect', async () => {
    const parent = await board.task(project_id);
    const parts = [await child(parent), await child(parent)];
    const refusal = {
      code: 'task_has_subtasks',
      message: 'Cannot delete task with subtasks',
      hint: `Delete its subtasks first: ${parts.join(', ')}.`,
    };
    expect(await board.rest.refused('DELETE', `/api/tasks/${parent}`)).toMatchObject({ status: 409, ...refusal });
    expect(await board.kanban.refused('delete_task', { task_id: parent })).toMatchObject(refusal);
    expect(await board.taskflow.refused('taskflow_delete_task', { user_id, task_id: parent })).toMatchObject({
      ...refusal,
      status_code: 409,
      task_id: parent,
    });
    expect((await board.colibri.sdk.listTools()).tools.filter(({ name }) => name.includes('delete'))).toEqual([]);
    await board.kanban.call('delete_task', { task_id: parts[0] });
    expect(await board.kanban.refused('delete_task', { task_id: parent })).toMatchObject({
      hint: `Delete its subtasks first: ${parts[1]}.`,
    });
    await board.taskflow.call('taskflow_delete_task', { user_id, task_id: parts[1] });
    await board.rest.does('DELETE', `/api/tasks/${parent}`);
  });

  it('and a new subtask: whoever comes first wins, and no live task is left below a deleted one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await board.task(project_id);
      const [made, deleted] = await Promise.all([below(parent), board.rest.send('DELETE', `/api/tasks/${parent}`)]);
      expect([
        [201, 409],
        [404, 200],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });

  it('goes with its whole project', async () => {
    const own = await board.bareProject();
    const parent = await board.task(own);
    const part = await child(parent);
    await board.rest.does('DELETE', `/api/projects/${own}`);
    for (const id of [parent, part])
      expect(await board.rest.refused('GET', `/api/tasks/${id}`)).toMatchObject({ code: 'task_not_found' });
  });
});
