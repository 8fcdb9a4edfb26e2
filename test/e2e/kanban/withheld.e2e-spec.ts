import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

describe('the next call of an answer that withholds', () => {
  const board = Board.use({ DIFF_GUARD_MAX_FILES: '3' });
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await board.project());
  });

  const changed = async (script: string): Promise<string> =>
    (await board.endedAttempt(project_id, script)).attempt_id as string;
  const follow = ({ next }: Json): Promise<Json> => board.kanban.call(next.tool as string, next.arguments as object);

  it('leads from blocked changes to what is in the largest folder', async () => {
    const attempt_id = await changed('mkdir -p src/a src/b; touch src/a/1 src/a/2 src/a/3 src/b/4 top');
    const blocked = await board.kanban.call('get_attempt_changes', { attempt_id, force: false });
    expect(blocked).toMatchObject({
      blocked: true,
      folders: [
        { path: 'web', file_count: 5 },
        { path: 'web/src', file_count: 4 },
        { path: 'web/src/a', file_count: 3 },
        { path: 'web/src/b', file_count: 1 },
      ],
      next: { tool: 'get_attempt_changes', arguments: { attempt_id, path: 'web' } },
    });
    expect(await follow(blocked)).toMatchObject({ blocked: false, files: expect.arrayContaining(['web/src/a/1']) });
    const { body } = await board.rest.get(`/api/attempts/${attempt_id}/changes`);
    expect(body.next).toEqual({ method: 'GET', path: `/api/attempts/${attempt_id}/changes?path=web` });
    expect((await board.rest.get(body.next.path as string)).body.files).toHaveLength(5);
    const patch = await board.kanban.call('get_attempt_patch', { attempt_id, paths: ['web'] });
    expect(patch.next).toEqual({ tool: 'get_attempt_changes', arguments: { attempt_id } });
  });

  it('goes on where a list, a patch or a file was cut', async () => {
    const wide = 'x'.repeat(200);
    const attempt_id = await changed(`mkdir ${wide}; cd ${wide}; seq -f "%04g-${wide}" 150 | xargs touch`);
    const args = { attempt_id, path: 'web' };
    const first = await board.kanban.call('get_attempt_changes', args);
    expect(first).toMatchObject({ blocked: false, truncated: true, summary: { file_count: 150 } });
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(42_000);
    expect(first.next).toEqual({ tool: 'get_attempt_changes', arguments: { ...args, cursor: first.next_cursor } });
    const rest = await follow(first);
    expect(first.files.length + rest.files.length).toBe(150);
    expect(rest).toMatchObject({ truncated: false, hint: null });
    expect(rest).not.toHaveProperty('next');
    expect(rest).not.toHaveProperty('next_cursor');

    const long = await changed('seq -w 20000 > long.txt');
    const patch = await board.kanban.call('get_attempt_patch', { attempt_id: long, paths: ['web'] });
    expect([patch.truncated, patch.bytes <= 40_960]).toEqual([true, true]);
    const more = await follow(patch);
    expect(more.patch).toMatch(/^\+\d{5}\n/);
    const rested = await board.rest.post(`/api/attempts/${long}/patch`, { paths: ['web'] });
    expect(rested.body.next).toEqual({
      method: 'POST',
      path: `/api/attempts/${long}/patch`,
      body: { paths: ['web'], cursor: patch.next_cursor },
    });
    const file = await board.kanban.call('get_attempt_file', { attempt_id: long, path: 'web/long.txt' });
    expect([file.bytes, (await follow(file)).start]).toEqual([40_960, 40_960]);
    const lines = { attempt_id: long, path: 'web/long.txt', start_line: 500, line_count: 2 };
    const some = await board.kanban.call('get_attempt_file', lines);
    expect(some).toMatchObject({ content: '00500\n00501\n', next: { arguments: { ...lines, start_line: 502 } } });
    expect(await follow(some)).toMatchObject({ content: '00502\n00503\n' });
  });

  it('names the nearest changed path for one without a change', async () => {
    const attempt_id = await changed('mkdir src; echo 1 > src/health.ts; echo 2 > other.txt');
    const wrong = await board.kanban.call('get_attempt_patch', { attempt_id, paths: ['src/health.ts'] });
    expect(wrong).toMatchObject({ patch: '', hint: expect.stringContaining('is web/src/health.ts') });
    expect(await follow(wrong)).toMatchObject({ patch: expect.stringContaining('+1'), hint: null });
    const folder = await board.kanban.call('get_attempt_changes', { attempt_id, path: 'web/scr', cursor: 0 });
    expect(folder).toMatchObject({ files: [], hint: expect.stringContaining('web/src/health.ts') });
    expect(await follow(folder)).toMatchObject({ files: ['web/src/health.ts'] });
    const outside = await board.kanban.call('get_attempt_changes', { attempt_id, path: '../x' });
    expect(outside).toMatchObject({ blocked: true, next: { arguments: { attempt_id } } });
    expect(outside.next.arguments).not.toHaveProperty('path');
  });

  it('stays in the words of a bound endpoint', async () => {
    const attempt_id = await changed('seq -w 20000 > long.txt');
    const bound = await board.server.mcp('', `/mcp?attempt_id=${attempt_id}`);
    const { next } = await bound.call('get_attempt_file', { path: 'web/long.txt' });
    expect(next.arguments).toEqual({ attempt_id, path: 'web/long.txt', start: 40_960 });
  });

  it('reads the target branch after a merge', async () => {
    const { project_id: own, repository } = await board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const { attempt_id } = await board.endedAttempt(own, 'echo new > new.txt');
    const target = { attempt_id, path: 'web/new.txt', of: 'target' };
    expect(await board.kanban.refused('get_attempt_file', target)).toMatchObject({ code: 'file_not_found' });
    await board.kanban.call('merge_attempt', { attempt_id });
    expect(await board.kanban.call('get_attempt_file', target)).toMatchObject({ content: 'new\n' });
  });
});
