import { beforeAll, describe, expect, it } from '@jest/globals';
import { stages } from '../../../src/tasks/task-stage.js';
import { Board } from '../../support/board-fixture.js';

const NONE = '00000000-0000-0000-0000-000000000000';
const EVERY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** The kept counts, and the same counted: what is archived counts with what is deleted. */
const KEPT = `
  SELECT board, is_deleted, stage, block::int, sum(tasks)::int AS tasks FROM task_counts
  GROUP BY 1, 2, 3, 4 HAVING sum(tasks) <> 0 ORDER BY 1, 2, 3, 4`;
const COUNTED = `
  SELECT b.board, deleted_at IS NOT NULL OR archived_at IS NOT NULL AS is_deleted, stage, (number / 2048)::int AS block,
    count(*)::int AS tasks
  FROM tasks t, LATERAL (VALUES (coalesce(t.project_id, '${NONE}'::uuid)), ('${EVERY}'::uuid)) b (board)
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`;

const board = Board.use();
let projects: string[];
beforeAll(async () => {
  projects = [await board.bareProject(), await board.bareProject()];
});

const expectExact = async (): Promise<void> =>
  expect(await board.server.query(KEPT)).toEqual(await board.server.query(COUNTED));

describe('the counts of tasks', () => {
  it('are exact after writers of all kinds at once', async () => {
    const write = async (lane: number): Promise<void> => {
      for (let turn = 0; turn < 12; turn += 1) {
        const { id } = (
          await board.colibri.call('task_create', {
            title: `Task ${lane}.${turn}`,
            project_id: [null, ...projects][(lane + turn) % 3],
            status: stages[turn % stages.length],
          })
        ).data as { id: string };
        const status = stages[(lane * 5 + turn) % 6];
        await board.colibri.call('task_update', { id, patch: { status } });
        if (turn % 3 === 0) await board.colibri.call('task_update', { id, patch: { project_id: projects[lane % 2] } });
        if (turn % 4 === 0) await board.rest.send('DELETE', `/api/tasks/${id}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, lane) => write(lane)));
    await expectExact();
  });

  it('are exact where a write is taken back, and where a statement writes many', async () => {
    await board.server
      .query(
        `INSERT INTO tasks (id, title, stage, created_at, updated_at)
         SELECT gen_random_uuid(), 'x', 'NO', now(), now()`,
      )
      .catch((error: { code: string }) => expect(error.code).toBe('23514'));
    await board.server.query(
      `INSERT INTO tasks (id, project_id, title, created_at, updated_at)
       SELECT gen_random_uuid(), CASE WHEN n % 2 = 0 THEN $1::uuid END, 'Task ' || n, now(), now()
       FROM generate_series(1, 5000) n`,
      [projects[0]],
    );
    await board.server.query("UPDATE tasks SET stage = 'PLAN' WHERE number % 3 = 0");
    await board.server.query('UPDATE tasks SET deleted_at = now() WHERE number % 7 = 0');
    await board.server.query('UPDATE tasks SET archived_at = now() WHERE number % 5 = 0');
    await board.server.query('DELETE FROM tasks WHERE number % 100 = 11 AND title LIKE $1', ['Task _%']);
    await expectExact();
  });

  it('make every page what counting and leaving out would make it, for any filter', async () => {
    for (const project_id of [undefined, null, projects[0]])
      for (const status of [undefined, 'PLAN'] as const)
        for (const include_deleted of [false, true]) {
          const where = [
            include_deleted ? 'true' : 'deleted_at IS NULL AND archived_at IS NULL',
            status ? `stage = '${status}'` : 'true',
            project_id === undefined
              ? 'true'
              : project_id === null
                ? 'project_id IS NULL'
                : `project_id = '${project_id}'`,
          ].join(' AND ');
          const all = await board.server.query<{ id: string }>(`SELECT id FROM tasks WHERE ${where} ORDER BY number`);
          for (const offset of [0, 7, Math.floor(all.length / 2), all.length - 3, all.length, all.length + 9]) {
            const given = { project_id, status, include_deleted, offset, limit: 20 };
            const { data } = await board.colibri.call('task_list', JSON.parse(JSON.stringify(given)));
            expect([data.total_count, data.tasks.map(({ id }: { id: string }) => id)]).toEqual([
              all.length,
              all.slice(offset, offset + 20).map(({ id }) => id),
            ]);
          }
        }
  });

  it('leave out the projects that exclude the caller', async () => {
    const [mine, theirs] = projects as [string, string];
    await board.worker('@eve');
    await board.worker('@ada');
    await board.rest.send('POST', `/api/projects/${theirs}/members`, { handle: '@ada' });
    const [{ seen }] = (await board.server.query<{ seen: number }>(
      'SELECT count(*)::int AS seen FROM listed_tasks WHERE project_id IS DISTINCT FROM $1',
      [theirs],
    )) as [{ seen: number }];
    const list = async (project_id?: string) =>
      (
        await board.server.rest
          .as('@eve')
          .does('POST', '/api/toolsets/colibri/tools/task_list', { project_id, limit: 500, offset: 1 })
      ).data;
    const all = await list();
    expect(all.total_count).toBe(seen);
    expect(all.tasks).toHaveLength(Math.min(500, seen - 1));
    expect(all.tasks.filter((task: { project_id: string }) => task.project_id === theirs)).toEqual([]);
    expect(await list(theirs)).toMatchObject({ total_count: 0, tasks: [] });
    expect((await list(mine)).total_count).toBeGreaterThan(0);
  });
});
