import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject, type Project } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.use({
  DIFF_GUARD_MAX_FILES: '3',
  DIFF_GUARD_MAX_LINES: '100',
  DIFF_GUARD_MAX_BYTES: '20000',
});
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server, { files: { 'readme.md': '# hello\n', 'old.txt': 'a\nb\n' } });
});

const changed = (script: string): Promise<Json> => givenEndedAttempt(client, project.project_id, script);
const changes = (attempt_id: string, more: object = {}) => client.call('get_attempt_changes', { attempt_id, ...more });

describe('Attempt changes snapshot tool', () => {
  it('Guard blocks file list', async () => {
    const tooMuch: [string, object][] = [
      ['touch 1 2 3 4', { file_count: 4, added: 0, deleted: 0, total_bytes: 0 }],
      ['seq 101 > many.txt', { file_count: 1, added: 101, deleted: 0, total_bytes: 296 }],
      ["head -c 20001 /dev/zero | tr '\\0' x > wide.txt", { file_count: 1, added: 1, deleted: 0, total_bytes: 20001 }],
    ];
    for (const [script, summary] of tooMuch) {
      const { attempt_id } = await changed(script);
      const { file_count, added, deleted } = summary as Record<string, number>;
      expect(await changes(attempt_id)).toEqual({
        attempt_id,
        of: 'work',
        summary,
        blocked: true,
        blocked_reason: 'threshold_exceeded',
        files: [],
        folders: [{ path: 'web', file_count, added, deleted }],
        truncated: false,
        hint: expect.stringContaining('force=true'),
        next: { tool: 'get_attempt_changes', arguments: { attempt_id, path: 'web' } },
      });
    }
  });

  it('Force bypasses guard', async () => {
    const { attempt_id } = await changed('touch 4 3 2 1');
    expect(await changes(attempt_id, { force: true })).toMatchObject({
      blocked: false,
      blocked_reason: null,
      hint: null,
      summary: { file_count: 4 },
      files: ['web/1', 'web/2', 'web/3', 'web/4'],
    });
  });

  it('lists what lies within the guard, and its figures with detail', async () => {
    const { attempt_id } = await changed(
      'echo x >> readme.md; git rm -q old.txt; mkdir src; echo y > src/new.ts; git add src; git ' +
        'commit -qm new --author "a <a@b>" || true',
    );
    const plain = await changes(attempt_id);
    expect(plain).toMatchObject({
      blocked: false,
      files: ['web/old.txt', 'web/readme.md', 'web/src/new.ts'],
      summary: { file_count: 3, added: 2, deleted: 2, total_bytes: 12 },
    });
    expect(plain).not.toHaveProperty('file_stats');
    expect((await changes(attempt_id, { detail: true })).file_stats).toMatchObject([
      { path: 'web/old.txt', status: 'deleted', added: 0, deleted: 2, bytes: 0 },
      { path: 'web/readme.md', status: 'modified', added: 1 },
      { path: 'web/src/new.ts', status: 'added', added: 1 },
    ]);
  });

  it('prefixes paths with the repository where an attempt has several', async () => {
    const second = server.repositories.repository('api-source');
    const { project_id } = await givenProject(server, { name: 'Two repositories' });
    await server.rest.post(`/api/projects/${project_id}/repos`, { path: second.dir, name: 'api' });
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'echo 1 > web/same.txt; echo 2 > api/same.txt');
    expect((await changes(attempt_id)).files).toEqual(['api/same.txt', 'web/same.txt']);
    const { patch } = await client.call('get_attempt_patch', { attempt_id, paths: ['api/same.txt', 'web/same.txt'] });
    expect(patch).toMatch(/\+\+\+ b\/api\/same\.txt[^]*\+2[^]*\+\+\+ b\/web\/same\.txt[^]*\+1/);
  });
});

describe('Bounded attempt artifact retrieval tools', () => {
  it('Artifact retrieval is size-bounded', async () => {
    const { attempt_id } = await changed('seq 100 > numbers.txt');
    const file = (more: object) => client.call('get_attempt_file', { attempt_id, path: 'web/numbers.txt', ...more });
    expect(await file({ max_bytes: 524_289 })).toMatchObject({
      blocked: true,
      blocked_reason: 'size_exceeded',
      truncated: false,
      bytes: 0,
      content: null,
      hint: expect.stringContaining('lower max_bytes, and page with start.'),
    });
    expect(await file({ max_bytes: 524_288 })).toMatchObject({
      blocked: false,
      blocked_reason: null,
      truncated: false,
      bytes: 292,
      total_bytes: 292,
    });
    expect(await file({ max_bytes: 5 })).toMatchObject({
      blocked: false,
      truncated: true,
      start: 0,
      bytes: 5,
      content: '1\n2\n3',
      hint: expect.stringContaining('start=5'),
    });
    expect(await file({ start: 286, max_bytes: 50 })).toMatchObject({
      truncated: false,
      start: 286,
      bytes: 6,
      content: '9\n100\n',
    });

    const patch = (more: object) =>
      client.call('get_attempt_patch', { attempt_id, paths: ['web/numbers.txt'], ...more });
    expect(await patch({ max_bytes: 2_097_153 })).toMatchObject({
      blocked: true,
      blocked_reason: 'size_exceeded',
      patch: null,
      hint: expect.stringContaining('pass fewer paths, or lower max_bytes'),
    });
    expect(await patch({ paths: Array.from({ length: 101 }, (_, at) => `web/${at}`) })).toMatchObject({
      blocked: true,
      blocked_reason: 'too_many_paths',
      patch: null,
      hint: expect.stringContaining('100 paths'),
    });
    expect(await patch({})).toMatchObject({
      blocked: false,
      truncated: false,
      paths: ['web/numbers.txt'],
      patch: expect.stringContaining('+100\n'),
    });
    const cut = await patch({ max_bytes: 200 });
    expect(cut).toMatchObject({
      blocked: false,
      blocked_reason: null,
      truncated: true,
      hint: expect.stringContaining('read with get_attempt_file'),
    });
    expect(cut.bytes).toBeLessThanOrEqual(200);
  });

  it('never leads outside the workspace', async () => {
    const { attempt_id } = await changed('ln -s /etc/hostname link; ln -s / root');
    for (const path of ['web/../../x', '/etc/hostname', 'web/link', 'web/root/etc/hostname', '../web/readme.md']) {
      expect(await client.call('get_attempt_file', { attempt_id, path })).toMatchObject({
        blocked: true,
        blocked_reason: 'path_outside_workspace',
        content: null,
        hint: expect.stringContaining('get_attempt_changes'),
      });
    }
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['web/../../x'] })).toMatchObject({
      blocked: true,
      blocked_reason: 'path_outside_workspace',
      patch: null,
    });
    expect(await client.refused('get_attempt_file', { attempt_id, path: 'web/none.txt' })).toMatchObject({
      code: 'file_not_found',
      retryable: false,
      hint: expect.stringContaining('get_attempt_changes'),
    });
  });

  it('guards the patch of a large change until forced', async () => {
    const { attempt_id } = await changed('for n in 1 2 3 4; do echo $n > $n.txt; done');
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['web/1.txt'] })).toMatchObject({
      blocked: true,
      blocked_reason: 'threshold_exceeded',
      patch: null,
      hint: expect.stringContaining('force=true'),
    });
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['web/1.txt'], force: true })).toMatchObject({
      blocked: false,
      patch: expect.stringContaining('+++ b/web/1.txt'),
    });
  });

  it('says the way on in the words of whoever asks: tools over MCP, paths over REST', async () => {
    const { attempt_id } = await changed('for n in 1 2 3 4; do echo $n > $n.txt; done');
    expect((await changes(attempt_id)).hint).toContain('ask get_attempt_patch for a few paths');
    expect((await server.rest.get(`/api/attempts/${attempt_id}/changes`)).body.hint).toContain(
      `ask POST /api/attempts/${attempt_id}/patch for a few paths`,
    );
    expect((await server.rest.get(`/api/attempts/${attempt_id}/file?path=../x`)).body.hint).toContain(
      `GET /api/attempts/${attempt_id}/changes lists valid ones`,
    );
  });
});
