import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { Board, nowhere } from '../../support/board-fixture.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});
const place = (task: Json) => `/api/tasks/${task.task_id}`;
const put = (task: Json, body: Json) => board.rest.answers(200, 'PUT', place(task), body);

describe('tasks over REST', () => {
  it('are created, shown, changed and deleted, each answered bare', async () => {
    const task = await board.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, {
      title: ' Add a health check ',
      description: 'Answer 200.',
    });
    expect(task).toMatchObject({
      task_id: expect.any(String),
      project_id,
      title: 'Add a health check',
      description: 'Answer 200.',
      status: 'todo',
      stage: 'INIT',
      is_blocked: false,
      created_at: expect.any(String),
      updated_at: task.created_at,
      latest_attempt_id: null,
      latest_workspace_branch: null,
      latest_session_id: null,
      latest_session_executor: null,
      has_in_progress_attempt: false,
      last_attempt_failed: false,
    });
    expect(await board.rest.answers(200, 'GET', place(task))).toEqual(task);
    expect(await put(task, { title: 'New title', description: '' })).toMatchObject({
      title: 'New title',
      description: null,
      status: 'todo',
    });
    expect(await board.rest.answers(200, 'DELETE', place(task))).toEqual({
      deleted_task_id: task.task_id,
      unmerged_branches: [],
    });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(
        await board.rest.refuses('task_not_found', method, place(task), method === 'PUT' ? { title: 'x' } : undefined),
      ).toMatchObject({ status: 404, details: { task_id: task.task_id } });
    }
  });

  it('are not overwritten by who has read an older state of them, and told as they are now', async () => {
    const task = await board.read(await board.task(project_id));
    const first = await put(task, { description: 'Mine', expected_updated_at: task.updated_at as string });
    const stale = { title: 'Theirs', expected_updated_at: task.updated_at as string };
    const refusal = await board.rest.refuses('task_changed', 'PUT', place(task), stale);
    expect(refusal).toMatchObject({ status: 409, retryable: false, details: { task_id: task.task_id } });
    expect(refusal.details.current).toEqual(first);
    expect(await put(task, { ...stale, expected_updated_at: first.updated_at as string })).toMatchObject({
      title: 'Theirs',
      description: 'Mine',
    });
    const { updated_at: expected_updated_at } = await board.read(task.task_id as string);
    const together = await Promise.all(
      ['One', 'Other'].map((title) => board.rest.send('PUT', place(task), { title, expected_updated_at })),
    );
    expect(together.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('take a status in any spelling, or an exact stage that wins over it', async () => {
    const task = await board.read(await board.task(project_id));
    expect(await put(task, { status: 'In-Progress' })).toMatchObject({ status: 'inprogress', stage: 'GATHER' });
    expect(await put(task, { stage: 'APPLY' })).toMatchObject({ status: 'inprogress', stage: 'APPLY' });
    expect(await put(task, { status: 'inprogress' })).toMatchObject({ stage: 'APPLY' });
    expect(await put(task, { status: 'todo', stage: 'DONE' })).toMatchObject({ status: 'done', stage: 'DONE' });
  });

  it('do not change when nothing new is said', async () => {
    const task = await board.read(await board.task(project_id));
    expect(await put(task, {})).toEqual(task);
    expect(await put(task, { title: task.title, description: task.description, status: 'todo' })).toEqual(task);
  });

  it('take null for what is left out', async () => {
    const task = await board.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, {
      title: 'x',
      description: null,
    });
    expect(task.description).toBeNull();
    expect(await put(task, { title: null, status: null, stage: '' })).toMatchObject({ title: 'x', stage: 'INIT' });
  });

  it('are listed newest first, by status, page by page', async () => {
    const own = (await board.project()).project_id;
    const titles = ['one', 'two', 'three', 'four', 'five'];
    for (const title of titles) await board.task(own, title, 'true');
    const all = await board.rest.answers(200, 'GET', `/api/projects/${own}/tasks`);
    expect(all.tasks.map((task: Json) => task.title)).toEqual([...titles].reverse());
    expect(all).toMatchObject({ project_id: own, count: 5, has_more: false, next_cursor: null });
    await put(all.tasks[1] as Json, { status: 'done' });
    const done = await board.rest.answers(200, 'GET', `/api/projects/${own}/tasks?status=DONE`);
    expect(done).toMatchObject({ count: 1, applied_filters: { status: 'done' }, tasks: [{ title: 'four' }] });
    const first = await board.rest.answers(200, 'GET', `/api/projects/${own}/tasks?limit=3&status=todo`);
    const second = await board.rest.answers(
      200,
      'GET',
      `/api/projects/${own}/tasks?limit=3&status=todo&cursor=${first.next_cursor}`,
    );
    expect([...first.tasks, ...second.tasks].map((task: Json) => task.title)).toEqual(['five', 'three', 'two', 'one']);
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null]);
  });

  it.each([
    ['a blank title', { title: ' ' }, 'title must not be blank'],
    ['no title', { description: 'x' }, 'title'],
    ['a title that is too long', { title: 'x'.repeat(501) }, 'title is longer'],
    ['an unknown field', { title: 'x', colour: 1 }, 'colour is not a field'],
    ['the project a second time', { title: 'x', project_id: nowhere }, 'project_id is given by the path'],
  ])('are not created with %s', async (_, body, message) => {
    expect(
      (await board.rest.refuses('invalid_argument', 'POST', `/api/projects/${project_id}/tasks`, body)).message,
    ).toContain(message);
  });

  it.each([
    ['an unknown status', { status: 'doing' }, 'todo, inprogress, inreview, done, cancelled'],
    ['an unknown stage', { stage: 'begun' }, 'INIT'],
    ['a blank title', { title: '' }, 'title'],
    ['a number for a description', { description: 1 }, 'description'],
  ])('are not changed to %s', async (_, body, message) => {
    const task = await board.read(await board.task(project_id));
    expect((await board.rest.refuses('invalid_argument', 'PUT', place(task), body)).message).toContain(message);
    expect(await board.rest.answers(200, 'GET', place(task))).toEqual(task);
  });

  it('are refused in a project that is not there, and for a status that is none', async () => {
    await board.rest.refuses('project_not_found', 'GET', `/api/projects/${nowhere}/tasks`);
    await board.rest.refuses('project_not_found', 'POST', `/api/projects/${nowhere}/tasks`, { title: 'x' });
    await board.rest.refuses('invalid_argument', 'GET', `/api/projects/${project_id}/tasks?status=doing`);
    await board.rest.refuses('invalid_argument', 'GET', '/api/tasks/7');
  });

  it('are not deleted while they run; the hint names the attempt to stop', async () => {
    const { attempt_id, task_id } = await board.attempt(project_id, 'sleep 60');
    const refusal = await board.rest.refuses('task_running', 'DELETE', `/api/tasks/${task_id}`);
    expect(refusal).toMatchObject({ status: 409, details: { attempt_id } });
    expect(refusal.hint).toContain(`POST /api/attempts/${attempt_id}/stop`);
    await board.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/stop`, { force: true });
    await board.rest.answers(200, 'DELETE', `/api/tasks/${task_id}`);
  });
});
