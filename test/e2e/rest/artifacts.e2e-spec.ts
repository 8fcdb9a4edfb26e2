import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { Board } from '../../support/board-fixture.js';

const board = Board.use({ DIFF_GUARD_MAX_FILES: '3' });
let project_id: string;
let place: string;
beforeAll(async () => {
  ({ project_id } = await board.project({ files: { 'readme.md': '# hello\n', 'old.txt': 'old\n' } }));
  const { attempt_id } = await board.endedAttempt(
    project_id,
    "echo more >> readme.md; rm old.txt; printf 'a\\nb\\n' > 'new file.txt'; echo out; echo err >&2",
  );
  place = `/api/attempts/${attempt_id}`;
});

describe('changes, files and patches over REST', () => {
  it('tell what changed, on request with the figures of each file', async () => {
    const changes = await board.rest.answers(200, 'GET', `${place}/changes`);
    expect(changes).toMatchObject({
      blocked: false,
      blocked_reason: null,
      hint: null,
      truncated: false,
      files: ['web/new file.txt', 'web/old.txt', 'web/readme.md'],
      summary: { file_count: 3, added: 3, deleted: 1 },
    });
    expect(changes).not.toHaveProperty('file_stats');
    const { file_stats } = await board.rest.answers(200, 'GET', `${place}/changes?detail=true`);
    expect(file_stats.map((file: Json) => [file.path, file.status, file.added, file.deleted])).toEqual([
      ['web/new file.txt', 'untracked', 2, 0],
      ['web/old.txt', 'deleted', 0, 1],
      ['web/readme.md', 'modified', 1, 0],
    ]);
    const [added, deleted, modified] = file_stats as Json[];
    expect(added!.content_hash).toBe(createHash('sha256').update('a\nb\n').digest('hex'));
    expect(deleted!.content_hash).toBeNull();
    expect(modified!.content_hash).toMatch(/^[0-9a-f]{64}$/);
    const again = await board.rest.answers(200, 'GET', `${place}/changes?detail=true`);
    expect(again.file_stats).toEqual(file_stats);
  });

  it('answer a file in parts, and the diff of chosen paths', async () => {
    const file = (query: string) =>
      board.rest.answers(200, 'GET', `${place}/file?path=${encodeURIComponent('web/new file.txt')}${query}`);
    expect(await file('')).toMatchObject({ content: 'a\nb\n', start: 0, bytes: 4, total_bytes: 4, truncated: false });
    expect(await file('&start=2&max_bytes=1')).toMatchObject({ content: 'b', start: 2, bytes: 1, truncated: true });
    const patch = await board.rest.answers(200, 'POST', `${place}/patch`, {
      paths: ['web/readme.md', 'web/unchanged.md'],
    });
    expect(patch).toMatchObject({
      blocked: false,
      paths: ['web/readme.md'],
      skipped_paths: ['web/unchanged.md'],
      truncated: false,
    });
    expect(patch.patch).toContain('+more');
    expect(patch).not.toHaveProperty('file_stats');
    const detailed = await board.rest.answers(200, 'POST', `${place}/patch`, { paths: ['web'], detail: true });
    const { file_stats } = await board.rest.answers(200, 'GET', `${place}/changes?detail=true`);
    expect(detailed.file_stats).toEqual(file_stats);
  });

  it('answer a file as it was before the changes, and as it is after them', async () => {
    const side = (path: string, which: string) => `${place}/file?path=web/${path}&side=${which}`;
    const read = async (path: string, which: string) =>
      (await board.rest.answers(200, 'GET', side(path, which))).content as string;
    expect(await read('readme.md', 'old')).toBe('# hello\n');
    expect(await read('readme.md', 'new')).toBe('# hello\nmore\n');
    expect(await read('old.txt', 'old')).toBe('old\n');
    expect(await board.rest.answers(200, 'GET', side('../../x', 'old'))).toMatchObject({
      blocked_reason: 'path_outside_workspace',
    });
    for (const [path, which] of [
      ['old.txt', 'new'],
      ['new file.txt', 'old'],
    ])
      await board.rest.refuses('file_not_found', 'GET', side(path!, which!));
    await board.rest.refuses('invalid_argument', 'GET', side('readme.md', 'both'));
  });

  it('are blocked beyond the guard, with a hint, and answer when forced', async () => {
    const { attempt_id } = await board.endedAttempt(project_id, 'touch a b c d');
    const many = `/api/attempts/${attempt_id}`;
    expect(await board.rest.answers(200, 'GET', `${many}/changes`)).toMatchObject({
      blocked: true,
      blocked_reason: 'threshold_exceeded',
      files: [],
      hint: expect.stringContaining('force'),
    });
    expect((await board.rest.answers(200, 'GET', `${many}/changes?force=true`)).files).toHaveLength(4);
    expect(await board.rest.answers(200, 'GET', `${many}/file?path=web/a&max_bytes=600000`)).toMatchObject({
      blocked: true,
      blocked_reason: 'size_exceeded',
      content: null,
    });
    expect(await board.rest.answers(200, 'GET', `${many}/file?path=web/../../x`)).toMatchObject({
      blocked: true,
      blocked_reason: 'path_outside_workspace',
      content: null,
    });
  });

  it.each([
    ['invalid_argument', 'GET', '/file', undefined],
    ['invalid_argument', 'GET', '/file?path=', undefined],
    ['invalid_argument', 'GET', '/file?path=web/readme.md&start=-1', undefined],
    ['invalid_argument', 'GET', '/file?path=web/readme.md&max_bytes=0', undefined],
    ['invalid_argument', 'GET', '/changes?force=maybe', undefined],
    ['invalid_argument', 'POST', '/patch', {}],
    ['invalid_argument', 'POST', '/patch', { paths: [] }],
    ['invalid_argument', 'POST', '/patch', { paths: 7 }],
    ['file_not_found', 'GET', '/file?path=web/none.txt', undefined],
    ['file_not_found', 'GET', '/file?path=other/readme.md', undefined],
  ])('are refused with %s: %s %s', async (code, method, part, body) => {
    const refusal = await board.rest.refuses(code, method, `${place}${part}`, body);
    expect(refusal.status).toBe(code === 'file_not_found' ? 404 : 400);
  });
});

describe('logs over REST', () => {
  it('answer the tail, older entries by cursor and newer ones by index', async () => {
    const { attempt_id } = await board.endedAttempt(project_id, 'seq 1 10');
    const read = async (query: string) =>
      (await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/logs?channel=raw${query}`)).page as Json;
    const said = (page: Json) => page.entries.map((entry: Json) => Number(entry.entry.content));
    const tail = await read('&limit=4');
    expect([said(tail), tail.has_more, tail.next_cursor, tail.next_after_entry_index]).toEqual([
      [7, 8, 9, 10],
      true,
      6,
      9,
    ]);
    const older = await read(`&limit=4&cursor=${tail.next_cursor}`);
    expect(said(older)).toEqual([3, 4, 5, 6]);
    const oldest = await read(`&limit=4&cursor=${older.next_cursor}`);
    expect([said(oldest), oldest.has_more, oldest.next_cursor]).toEqual([[1, 2], false, null]);
    const newer = await read('&limit=4&after_entry_index=-1');
    expect([said(newer), newer.has_more, newer.next_cursor, newer.next_after_entry_index]).toEqual([
      [1, 2, 3, 4],
      true,
      null,
      3,
    ]);
    expect(said(await read('&limit=100&after_entry_index=3&wait_ms=30000'))).toEqual([5, 6, 7, 8, 9, 10]);
    expect(await read('&after_entry_index=9&wait_ms=30000')).toMatchObject({
      entries: [],
      has_more: false,
      next_after_entry_index: 9,
      history_truncated: false,
    });
  });

  it('tell the streams apart and what was said in the normalized channel', async () => {
    const raw = await board.rest.answers(200, 'GET', `${place}/logs?channel=raw`);
    expect(raw.page.entries.map((entry: Json) => [entry.entry.type, entry.entry.content]).sort()).toEqual([
      ['stderr', 'err'],
      ['stdout', 'out'],
    ]);
    const normalized = await board.rest.answers(200, 'GET', `${place}/logs`);
    expect(normalized).toMatchObject({ channel: 'normalized', state: 'completed' });
    expect(normalized.page.entries.map((entry: Json) => entry.entry.type)).toContain('assistant_message');
  });

  it.each([
    ['mixed_pagination', 'cursor=1&after_entry_index=1'],
    ['invalid_argument', 'wait_ms=5'],
    ['invalid_argument', 'channel=events'],
    ['invalid_argument', 'after_entry_index=-2'],
    ['invalid_argument', 'limit=0'],
    ['invalid_argument', 'follow=true'],
  ])('are refused with %s: ?%s', async (code, query) => {
    expect((await board.rest.refuses(code, 'GET', `${place}/logs?${query}`)).status).toBe(400);
  });
});
