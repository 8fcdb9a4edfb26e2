import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board, nowhere } from '../../support/board-fixture.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject();
});

const create = async (more: object = {}): Promise<string> =>
  (await board.kanban.call('create_task', { project_id, title: 'Part', ...more })).task_id as string;
const put = (task_id: string, parent_task_id: string | null) =>
  board.kanban.call('update_task', { task_id, parent_task_id });
const refusedPut = (task_id: string, parent_task_id: string) =>
  board.kanban.refused('update_task', { task_id, parent_task_id });
const parentOf = async (task_id: string) => (await board.kanban.call('get_task', { task_id })).task.parent_task_id;

describe('the parent of a task', () => {
  it('is said when the task is made, also where it is started at once, and told by get_task', async () => {
    const parent = await create();
    expect(await parentOf(parent)).toBeNull();
    const child = await create({ parent_task_id: parent, request_id: `below-${parent}` });
    expect(await create({ parent_task_id: parent, request_id: `below-${parent}` })).toBe(child);
    expect(await parentOf(child)).toBe(parent);
    const { project_id: started } = await board.project();
    const above = await board.task(started);
    const more = { project_id: started, parent_task_id: above, executor: 'SHELL', description: 'true' };
    expect(await parentOf(await create(more))).toBe(above);
    const over = { title: 'Part', parent_task_id: parent };
    const { task_id } = await board.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, over);
    expect(await parentOf(task_id as string)).toBe(parent);
    const { tasks } = await board.rest.does('GET', `/api/tasks/${parent}/subtasks`);
    expect(tasks.map((task: { task_id: string }) => task.task_id)).toEqual([task_id, child]);
  });

  it('is changed and taken away, while what is not said stays', async () => {
    const [parent, other, child] = [await create(), await create(), await create()];
    expect((await put(child, parent)).task.parent_task_id).toBe(parent);
    await put(child, other);
    await board.kanban.call('update_task', { task_id: child, title: 'Renamed' });
    expect(await parentOf(child)).toBe(other);
    expect(await board.rest.does('PUT', `/api/tasks/${child}`, { parent_task_id: null })).toMatchObject({
      parent_task_id: null,
    });
    await put(child, parent);
    await put(child, null);
    expect(await parentOf(child)).toBeNull();
  });

  it('is a task of the same project, and there', async () => {
    const far = await board.task(await board.bareProject());
    const reason = { code: 'invalid_argument', message: expect.stringContaining('another project') };
    expect(await refusedPut(await create(), far)).toMatchObject(reason);
    expect(await board.kanban.refused('create_task', { project_id, title: 'x', parent_task_id: far })).toMatchObject(
      reason,
    );
    expect((await refusedPut(await create(), nowhere)).code).toBe('task_not_found');
  });

  it('is never the task itself or below it, however many move at once', async () => {
    const circle = { code: 'invalid_argument', message: expect.stringContaining('below it') };
    const [one, two, three, four] = [await create(), await create(), await create(), await create()];
    expect(await refusedPut(one, one)).toMatchObject(circle);
    await put(two, one);
    await put(four, three);
    expect(await refusedPut(one, two)).toMatchObject(circle);
    const moves = await Promise.allSettled([put(one, four), put(three, two)]);
    expect(moves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
