import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

describe('a long log', () => {
  const board = Board.share();
  let attempt_id: string;
  beforeAll(async () => {
    const { project_id } = await board.project();
    const script = 'for n in $(seq 3000); do echo "line $n of the build"; done; echo "Failed at LAST" >&2';
    ({ attempt_id } = (await board.endedAttempt(project_id, script)) as { attempt_id: string });
  });

  const tail = async (args: object): Promise<Json> =>
    board.kanban.call('tail_attempt_logs', { attempt_id, channel: 'raw', ...args });
  const contents = ({ page }: Json): string[] => page.entries.map(({ entry }: Json) => entry.content as string);
  const over = async (query: string): Promise<Json> =>
    board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/logs?${query}`);

  it('says once a page what is the same for all lines, over MCP alone', async () => {
    const rows = (await over('channel=raw&after_entry_index=-1&limit=200')).page.entries as Json[];
    const since = rows.findIndex(({ created_at }, at) => created_at === rows[at + 1]?.created_at) - 1;
    const { page, execution_process_id } = await tail({ after_entry_index: since, limit: 2 });
    expect(page).toMatchObject({ created_at: expect.any(String) });
    expect(page).not.toHaveProperty('execution_process_id');
    for (const row of page.entries) expect(Object.keys(row as object)).toEqual(['entry_index', 'entry']);
    expect(rows[since + 1]).toMatchObject({ execution_process_id, created_at: page.created_at });
    expect(Buffer.byteLength(JSON.stringify(await tail({})))).toBeLessThan(25_000);
  });

  it('is searched for words in any case, older and newer', async () => {
    expect(contents(await tail({ query: 'failed last' }))).toEqual(['Failed at LAST']);
    expect(contents(await tail({ query: 'LINE 1277 of' }))).toEqual(['line 1277 of the build']);
    const newest = await tail({ query: '50 build', limit: 2 });
    expect(contents(newest)).toEqual(['line 2850 of the build', 'line 2950 of the build']);
    expect(newest.page).toMatchObject({ has_more: true, next_after_entry_index: 3_000 });
    const older = await tail({ query: '50 build', limit: 2, cursor: newest.page.next_cursor });
    expect(contents(older)).toEqual(['line 2650 of the build', 'line 2750 of the build']);
    const newer = await tail({ query: '50 build', limit: 2, after_entry_index: -1 });
    expect(contents(newer)).toEqual(['line 50 of the build', 'line 150 of the build']);
    expect(newer.page).toMatchObject({ has_more: true, next_after_entry_index: 248 });
    expect((await tail({ query: 'nowhere' })).page).toMatchObject({ entries: [], has_more: false, next_cursor: null });
    expect(contents(await over('channel=raw&query=line%201277%20of'))).toEqual(['line 1277 of the build']);
  });

  it('gives the lines alone where one entry holds many', async () => {
    const found = await tail({ channel: 'normalized', query: 'line 1234' });
    expect(contents(found)).toEqual(['line 1234 of the build']);
    const text = await tail({ channel: 'normalized', query: 'line 1234', format: 'text' });
    expect(text.page.text).toMatch(/^# execution \S+\n\[assistant_message\] line 1234 of the build$/);
  });

  it('counts lines, also where one entry holds many', async () => {
    const all = await tail({ channel: 'normalized', after_entry_index: -1 });
    const some = await tail({ channel: 'normalized', limit: 150, after_entry_index: -1 });
    const lines = (answer: Json): number => contents(answer).slice(1).join('\n').split('\n').length;
    expect([lines(all) > 1_000, lines(some) < 150, lines(some) > 1]).toEqual([true, true, true]);
    expect(some.page).toMatchObject({ has_more: true, next_after_entry_index: some.page.entries.length - 1 });
  });

  it('tells no way to newer entries on an older page', async () => {
    const newest = await tail({ limit: 5 });
    expect(newest.page.next_after_entry_index).toBe(3_000);
    const older = await tail({ limit: 5, cursor: newest.page.next_cursor });
    expect(older.page).toMatchObject({ next_after_entry_index: null, has_more: true });
  });

  it('leads on where a page is full before its limit', async () => {
    const { project_id } = await board.project();
    const long = await board.endedAttempt(project_id, 'for n in $(seq 150); do printf "%04d %01000d\\n" $n 0; done');
    const args = { attempt_id: long.attempt_id, channel: 'raw' };
    const first = await board.kanban.call('tail_attempt_logs', args);
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(45_000);
    expect(first.next).toEqual({ tool: 'tail_attempt_logs', arguments: { ...args, cursor: first.page.next_cursor } });
    const second = await board.kanban.call('tail_attempt_logs', first.next.arguments as object);
    expect(second.page.entries.at(-1).entry_index).toBe(first.page.entries[0].entry_index - 1);
    const { next } = await board.rest.answers(
      200,
      'GET',
      `/api/attempts/${long.attempt_id}/logs?channel=raw&after_entry_index=-1`,
    );
    expect(next.path).toMatch(/\/logs\?.*after_entry_index=\d+/);
  });
});
