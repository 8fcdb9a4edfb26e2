import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const board = Board.share();
let project_id: string;
let ended: Json;
beforeAll(async () => {
  ({ project_id } = await board.project());
  ended = await board.endedAttempt(project_id, 'printf "one\\ntwo\\n" > new.txt; echo done; exit 3');
});

const columns = async (query = ''): Promise<Json[]> =>
  (await board.rest.does('GET', `/api/projects/${project_id}/board${query}`)).columns as Json[];
const titles = (column: Json | undefined) => (column?.cards as Json[]).map(({ title }) => title as string);

describe('the board of a project', () => {
  it('has five columns with exact counts and the newest cards', async () => {
    const other = await board.bareProject();
    for (let index = 0; index < 3; index += 1) await board.task(other, `Task ${index}`);
    const { columns: few } = await board.rest.does('GET', `/api/projects/${other}/board?limit=2`);
    expect((few as Json[]).map(({ status, count }) => [status, count])).toEqual([
      ['todo', 3],
      ['inprogress', 0],
      ['inreview', 0],
      ['done', 0],
      ['cancelled', 0],
    ]);
    expect(titles((few as Json[])[0])).toEqual(['Task 2', 'Task 1']);
  });

  it('shows on a card what became of its latest attempt', async () => {
    const inReview = (await columns()).find(({ status }) => status === 'inreview');
    expect(inReview?.cards).toEqual([
      expect.objectContaining({
        task_id: ended.task_id,
        latest_attempt_id: ended.attempt_id,
        executor: 'SHELL',
        state: 'failed',
        is_queued: false,
        pending_approvals: 0,
        lines_added: 2,
        lines_deleted: 0,
      }),
    ]);
  });

  it('is searched by words and filtered', async () => {
    const create = (fields: Json) => board.rest.does('POST', `/api/projects/${project_id}/tasks`, fields);
    await create({ title: 'Raise cover to 100%', tags: ['tests'], priority: 'high' });
    await create({ title: 'Raise cover to 1000', description: 'Not a % sign' });
    const found = async (query: string) => (await columns(query)).flatMap(titles);
    expect(await found('?search=100%25')).toEqual(['Raise cover to 1000', 'Raise cover to 100%']);
    expect(await found('?search=aise')).toEqual([]);
    expect(await found('?search=raise')).toEqual(['Raise cover to 1000', 'Raise cover to 100%']);
    expect(await found('?search=NOT%20A')).toEqual(['Raise cover to 1000']);
    expect(await found('?tag=tests&priority=high')).toEqual(['Raise cover to 100%']);
    expect(await found('?tag=tests&priority=low')).toEqual([]);
    expect(await found('?executor=SHELL')).toEqual(['Say hello']);
    const assignee_id = await board.worker('@mover');
    await board.rest.does('PATCH', `/api/tasks/${ended.task_id}/assign`, { assignee_id });
    expect(await found('?assignee=@mover')).toEqual(['Say hello']);
    expect(await found('?assignee=@mover&executor=SHELL&search=hello')).toEqual(['Say hello']);
    await create({ title: 'Quoted', priority: "o'Hara \\ & co" });
    expect(await found(`?priority=${encodeURIComponent("o'Hara \\ & co")}`)).toEqual(['Quoted']);
    expect(await found(`?assignee=${assignee_id}`)).toEqual(['Say hello']);
  });
});

describe('the runs of an attempt', () => {
  it('are listed with how they ended and what helps, and can be downloaded', async () => {
    const { executions } = await board.rest.does('GET', `/api/attempts/${ended.attempt_id}/executions`);
    expect(executions).toEqual([
      expect.objectContaining({
        session_id: ended.session_id,
        executor: 'SHELL',
        status: 'failed',
        exit_code: 3,
        duration_ms: expect.any(Number),
        hint: expect.stringContaining('follow-up'),
        usage: null,
      }),
    ]);
    const { sessions } = await board.rest.does('GET', `/api/attempts/${ended.attempt_id}/sessions`);
    expect((sessions as Json[]).map(({ session_id }) => session_id)).toEqual([ended.session_id]);
    const id = (executions as Json[])[0]!.execution_process_id as string;
    const log = await fetchAsOwner(`${board.server.url}/api/executions/${id}/log.txt`);
    expect(log.headers.get('content-type')).toContain('text/plain');
    expect(await log.text()).toBe('done\n');
  });
});

describe('usage', () => {
  it('is summed by project, task, worker, executor and day; what nobody reported stays null', async () => {
    const read = (query: string) => board.rest.does('GET', `/api/usage?project_id=${project_id}&${query}`);
    expect(await read('group_by=executor')).toMatchObject({
      rows: [{ key: 'SHELL', runs: 1, reported_runs: 0, usage: { output_tokens: null, cost_usd: null } }],
      total: { input_tokens: null },
    });
    await board.server.query(
      'UPDATE executions SET input_tokens = 10, output_tokens = 0, cost_usd = 0.5 WHERE attempt_id = $1',
      [ended.attempt_id],
    );
    for (const [group, key] of [
      ['project', project_id],
      ['task', ended.task_id],
      ['executor', 'SHELL'],
      ['day', new Date().toISOString().slice(0, 10)],
    ])
      expect((await read(`group_by=${group as string}`)).rows).toEqual([
        expect.objectContaining({
          key,
          reported_runs: 1,
          completed_runs: 0,
          failed_runs: 1,
          usage: { input_tokens: 10, cached_input_tokens: null, output_tokens: 0, cost_usd: 0.5 },
        }),
      ]);
    expect((await read('group_by=day')).total).toEqual({
      ...{ input_tokens: 10, cached_input_tokens: null, output_tokens: 0, cost_usd: 0.5 },
    });
    const [{ duration_ms, median_duration_ms, median_wait_ms }] = (await read('group_by=day')).rows;
    expect(median_duration_ms).toBe(duration_ms); // of one run
    expect(median_wait_ms).toBeGreaterThanOrEqual(0);
    expect((await read('group_by=task&from=2100-01-01T00:00:00Z')).rows).toEqual([]);
    expect((await read('group_by=task&from=2100-01-01')).rows).toEqual([]);
    expect((await read('group_by=task&from=2020-01-01&to=2100-01-01')).rows).not.toEqual([]);
    const csv = await fetchAsOwner(`${board.server.url}/api/usage?group_by=task&project_id=${project_id}`, {
      headers: { accept: 'text/csv' },
    });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\r\n')[1]).toMatch(/,Say hello,1,1,\d+,10,,0,0\.5,0,1,\d+,\d+$/);
  });
});
