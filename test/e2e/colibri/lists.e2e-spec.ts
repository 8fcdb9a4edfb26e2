import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';

const titles = ['one', 'two', 'three', 'four', 'five', 'six'];
const board = Board.use();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(undefined, 'Web shop');
  for (const title of titles)
    await board.colibri.call('task_create', {
      title,
      ...(title.startsWith('f') ? { project_id } : {}),
      ...(title === 'six' ? { status: 'PLAN' } : {}),
    });
});

const list = async (args: object = {}): Promise<[string[], number]> => {
  const { tasks, total_count } = (await board.colibri.call('task_list', args)).data as {
    tasks: Json[];
    total_count: number;
  };
  return [tasks.map(({ title }) => title as string), total_count];
};

describe('task_list', () => {
  it('is in the order of insertion, whatever was changed meanwhile', async () => {
    expect(await list()).toEqual([titles, 6]);
    const { tasks } = (await board.colibri.call('task_list', { limit: 1 })).data as { tasks: Json[] };
    await board.colibri.call('task_update', { id: tasks[0]!.id, patch: { description: 'touched' } });
    expect(await list()).toEqual([titles, 6]);
  });

  it('pages with limit and offset; total_count counts all', async () => {
    expect(await list({ limit: 2 })).toEqual([['one', 'two'], 6]);
    expect(await list({ limit: 2, offset: 4 })).toEqual([['five', 'six'], 6]);
    expect(await list({ offset: 6 })).toEqual([[], 6]);
    expect(await list({ offset: 9_999_999_999 })).toEqual([[], 6]);
  });

  it('filters by project: id, slug, null for none, and an unknown one matches nothing', async () => {
    expect(await list({ project_id })).toEqual([['four', 'five'], 2]);
    expect(await list({ project_id: 'web-shop', limit: 1 })).toEqual([['four'], 2]);
    expect(await list({ project_id: null })).toEqual([['one', 'two', 'three', 'six'], 4]);
    expect(await list({ project_id: nowhere })).toEqual([[], 0]);
    expect(await list({ project_id: 'no-shop' })).toEqual([[], 0]);
  });

  it('filters by status, together with a project', async () => {
    expect(await list({ status: 'PLAN' })).toEqual([['six'], 1]);
    expect(await list({ status: 'INIT', project_id: null })).toEqual([['one', 'two', 'three'], 3]);
    expect(await list({ status: 'DONE' })).toEqual([[], 0]);
  });

  it('holds deleted tasks only with include_deleted', async () => {
    const { data } = await board.colibri.call('task_create', { title: 'gone', project_id });
    await board.kanban.call('delete_task', { task_id: data.id });
    expect(await list({ project_id })).toEqual([['four', 'five'], 2]);
    expect(await list({ project_id, include_deleted: false })).toEqual([['four', 'five'], 2]);
    expect(await list({ project_id, include_deleted: true })).toEqual([['four', 'five', 'gone'], 3]);
  });

  it.each([
    ['limit', 0],
    ['limit', 1.5],
    ['limit', 501],
    ['limit', 100_000],
    ['limit', 'five'],
    ['offset', -1],
    ['status', 'in_progress'],
    ['include_deleted', 'yes'],
    ['project', 'web-shop'],
  ])('refuses %s %p', async (field, value) => {
    expect(await board.colibri.refused('task_list', { [field]: value })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_PARAMS', details: { issues: [{ field }] } },
    });
  });
});

describe('long lists', () => {
  beforeAll(() =>
    board.server.query(
      `INSERT INTO tasks (id, title, created_at, updated_at)
         SELECT gen_random_uuid(), 'many ' || n, now(), now() FROM generate_series(1, 600) n`,
    ),
  );

  it('answer 100 tasks unless asked, and 500 at most', async () => {
    const sizes = async (args: object) => {
      const [page, total] = await list(args);
      return [page.length, total];
    };
    expect(await sizes({})).toEqual([100, 606]);
    expect(await sizes({ limit: 500 })).toEqual([500, 606]);
    expect((await list({ limit: 500, offset: 600 }))[0]).toEqual([
      'many 595',
      'many 596',
      'many 597',
      'many 598',
      'many 599',
      'many 600',
    ]);
  });

  it('of next actions end where an answer is full, in order, and count all', async () => {
    const { tasks, total_count } = (await board.colibri.call('task_next_actions')).data as {
      tasks: Json[];
      total_count: number;
    };
    expect(tasks.length).toBeGreaterThan(70);
    expect([total_count, tasks.slice(0, 6).map(({ title }) => title as string)]).toEqual([606, titles]);
  });
});

describe('task_next_actions', () => {
  it('takes no arguments', async () => {
    expect(await board.colibri.refused('task_next_actions', { status: 'PLAN' })).toMatchObject({
      error: { code: 'INVALID_PARAMS', message: expect.stringContaining('status is not a field') },
    });
  });

  it('holds every live stage and blocked tasks', async () => {
    const own = await board.bareProject();
    for (const status of ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'])
      await board.colibri.call('task_create', { title: status, status, project_id: own });
    const blocked = (await board.colibri.call('task_create', { title: 'blocked', project_id: own })).data.id as string;
    await board.rest.does('PATCH', `/api/tasks/${blocked}/status`, { status: 'blocked' });
    await board.server.query("DELETE FROM tasks WHERE title LIKE 'many %'");
    const { tasks } = (await board.colibri.call('task_next_actions')).data as { tasks: Json[] };
    expect(tasks.filter((task) => task.project_id === own).map(({ title, is_blocked }) => [title, is_blocked])).toEqual(
      [...['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'].map((title) => [title, false]), ['blocked', true]],
    );
  });
});

describe('a board that is too long for one answer', () => {
  const long = Board.use();

  it('ends early with the true count, and leads on', async () => {
    const project_id = await long.bareProject();
    const description = 'd'.repeat(20_000);
    const [first] = await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        long.colibri.call('task_create', {
          project_id,
          title: `Task ${at} ${'t'.repeat(200)}`,
          ...(at === 0 && { description }),
        }),
      ),
    );
    for (const tool of ['task_next_actions', 'task_list']) {
      const { data } = await long.colibri.call(tool);
      expect(data).toMatchObject({ total_count: 120, has_more: true, next_offset: data.tasks.length });
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(34_000);
      expect(data.next.tool).toBe('task_list');
    }
    const { data } = await long.colibri.call('task_list');
    const rest = await long.colibri.call(data.next.tool as string, data.next.arguments as object);
    expect(rest.data.tasks[0].id).not.toBe(data.tasks[0].id);
    expect(data.next.arguments).toEqual({ offset: data.next_offset });
    const all = (await long.colibri.call('task_list', { limit: 200 })).data;
    expect(all.tasks).toHaveLength(120);
    const { id } = first!.data;
    const listed = all.tasks.find((task: { id: string }) => task.id === id);
    expect(listed.description).toMatch(/^d{8192}… \[cut after 8 KB of 20\]$/);
    expect((await long.colibri.call('task_get', { id })).data.description).toBe(description);
  });
});
