import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { localOwner } from '../../../src/platform/access/principal.js';
import { Database, type PreparedStatement } from '../../../src/platform/database/database.js';
import type { TaskStatus } from '../../../src/tasks/task-stage.js';
import { TasksRepository } from '../../../src/tasks/tasks.repository.js';
import { givenProject } from '../../support/board.js';
import { InProcessServer } from '../../support/in-process-server.js';

const TASKS = `INSERT INTO tasks (id, project_id, title, stage, created_at, updated_at)
   SELECT gen_random_uuid(), $1, 'Task ' || n, 'INIT', now(), now() FROM generate_series(1, 5000) n`;
/** PostgreSQL tries five plans for given values before it looks whether one for all is as good. */
const CALLS = 8;

const server = InProcessServer.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await givenProject(server, { name: 'Of old tasks' }));
  const { project_id: busy } = await givenProject(server, { name: 'Of many newer ones' });
  for (const id of [project_id, busy, busy, busy]) await server.query(TASKS, [id]);
  await server.query('ANALYZE tasks');
});

/** How a connection that has listed some times lists once more, and how often it used one plan for all values. */
async function planOf(filter: { status?: TaskStatus }): Promise<{ plan: string; generic_plans: number }> {
  const database = server.app.get(Database);
  const asked = jest.spyOn(database, 'queryPrepared');
  return database.transaction(async () => {
    for (let call = 0; call < CALLS; call += 1)
      await server.app.get(TasksRepository).list(localOwner, { project_id, ...filter }, 50);
    const [{ name }, values] = asked.mock.lastCall as [PreparedStatement, (string | null)[]];
    asked.mockRestore();
    const lines = await database.query<Record<'QUERY PLAN', string>>(
      `EXPLAIN (ANALYZE, TIMING OFF)
       EXECUTE ${name}(${values.map((value) => (value === null ? 'NULL' : `'${value}'`)).join()})`,
    );
    const [{ generic_plans }] = (await database.query<{ generic_plans: string }>(
      'SELECT generic_plans FROM pg_prepared_statements WHERE name = $1',
      [name],
    )) as [{ generic_plans: string }];
    return { plan: lines.map((line) => line['QUERY PLAN']).join('\n'), generic_plans: Number(generic_plans) };
  });
}

describe('the list of tasks', () => {
  it.each([
    ['of all', {}, 'tasks_newest'],
    ['of one status', { status: 'todo' as const }, 'tasks_newest_by_status'],
  ])(
    '%s is planned once for every project, and reads from the index of its key just what it answers',
    async (_, filter, index) => {
      const { plan, generic_plans } = await planOf(filter);
      expect(generic_plans).toBeGreaterThan(1);
      expect(plan).toMatch(new RegExp(`Index Scan Backward using ${index} on tasks .*actual rows=51`));
      expect(plan).toMatch(/Index Cond: \(\(ROW\(project_id, .*number\) < ROW/);
    },
  );
});
