import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const board = Board.use();
let project_id: string;
let task_id: string;
beforeAll(async () => {
  project_id = await board.bareProject();
  ({ task_id } = await board.rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'x' }));
});

const summary = async (query = ''): Promise<Record<string, Json>> => {
  const { tools } = await board.rest.does('GET', `/api/tool-invocations/summary${query}`);
  return Object.fromEntries((tools as Json[]).map((row) => [`${row.toolset} ${row.tool}`, row]));
};

describe('tool_invocations', () => {
  it('holds a row for every call of every dialect: changes, reads and refusals', async () => {
    await board.kanban.call('get_task', { task_id });
    await board.kanban.refused('get_task', { task_id: nowhere });
    await board.kanban.refused('get_task', {});
    await board.taskflow.call('taskflow_list_tasks', { user_id: 'ada', project_id });
    await board.taskflow.refused('taskflow_request_review', { user_id: 'ada', task_id });
    await board.colibri.call('task_next_actions');
    await board.colibri.call('task_get', { id: nowhere }); // an inner error is a refusal, too
    await board.colibri.refused('task_get', {});
    await (
      await fetchAsOwner(`${board.server.url}/api/toolsets/kanban/tools/list_projects`, { method: 'POST' })
    ).text();
    const rows = await summary();
    expect(Object.keys(rows)).toHaveLength(6);
    expect(rows).toMatchObject({
      'kanban get_task': { calls: 3, refusals: 2, codes: { task_not_found: 1, invalid_argument: 1 } },
      'kanban list_projects': { calls: 1, refusals: 0, codes: {} },
      'taskflow taskflow_list_tasks': { calls: 1, refusals: 0, codes: {} },
      'taskflow taskflow_request_review': { calls: 1, refusals: 1, codes: { invalid_transition: 1 } },
      'colibri task_next_actions': { calls: 1, refusals: 0, codes: {} },
      'colibri task_get': { calls: 2, refusals: 2, codes: { task_not_found: 1, invalid_argument: 1 } },
    });
  });

  it('lists the tools most called first, with a median time', async () => {
    const { since, tools } = await board.rest.does('GET', '/api/tool-invocations/summary?days=1');
    expect((tools as Json[]).map(({ calls }) => calls as number)).toEqual([3, 2, 1, 1, 1, 1]);
    for (const { median_ms } of tools as Json[]) expect(Number.isInteger(median_ms) && median_ms >= 0).toBe(true);
    expect(Date.parse(since as string)).toBeLessThan(Date.now());
  });

  it('counts only what is young enough, with the right median', async () => {
    await board.server.query(
      `INSERT INTO tool_invocations (toolset, tool, principal_id, actor, code, duration_ms, called_at)
         SELECT 'kanban', 'old_tool', 'x', 'x', NULL, d, now() - interval '3 days'
         FROM unnest(ARRAY[1, 5, 90]) d`,
    );
    expect((await summary('?days=2'))['kanban old_tool']).toBeUndefined();
    expect((await summary('?days=4'))['kanban old_tool']).toMatchObject({ calls: 3, refusals: 0, median_ms: 5 });
    expect((await summary('?days=2147483648'))['kanban old_tool']).toMatchObject({ calls: 3 });
    expect(await board.rest.refused('GET', '/api/tool-invocations/summary?days=0')).toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('says who called', async () => {
    await board.worker('@claude');
    await (await board.mcpAs('@claude', '/mcp')).call('list_executors');
    await summary();
    const [row] = await board.server.query<Json>("SELECT * FROM tool_invocations WHERE tool = 'list_executors'");
    expect(row).toMatchObject({
      toolset: 'kanban',
      actor: '@claude',
      principal_id: expect.stringMatching(/^worker:/),
      code: null,
    });
  });

  it('says who acted where an argument names the user, in refusals too', async () => {
    const worker_id = await board.worker('@grace');
    await board.taskflow.refused('taskflow_complete_task', { user_id: '@grace', task_id: nowhere });
    await summary();
    const [row] = await board.server.query<Json>(
      "SELECT * FROM tool_invocations WHERE tool = 'taskflow_complete_task'",
    );
    expect(row).toMatchObject({ actor: '@grace', principal_id: `worker:${worker_id}`, code: 'task_not_found' });
  });

  it('keeps the calls of a time without a database and writes them afterwards', async () => {
    const count = async () =>
      (
        await board.server.query<{ n: number }>(
          "SELECT count(*)::int AS n FROM tool_invocations WHERE tool = 'list_projects'",
        )
      )[0]!.n;
    const before = await count();
    await board.server.query('ALTER TABLE tool_invocations ADD CONSTRAINT nothing_more CHECK (false) NOT VALID');
    for (let call = 0; call < 3; call += 1) await board.kanban.call('list_projects');
    await summary();
    expect(await count()).toBe(before);
    await board.server.query('ALTER TABLE tool_invocations DROP CONSTRAINT nothing_more');
    await summary();
    expect(await count()).toBe(before + 3);
  });
});
