import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { DiffGuard } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';

const NOTHING = { of: 'work', files: [], file_stats: [], truncated: false, nearest: null, next_cursor: null };

describe('the guard of changes', () => {
  let box: WorkspaceSandbox;
  beforeEach(() => {
    box = new WorkspaceSandbox();
  });
  afterEach(() => box.remove());

  const read = (workspace: Workspace, guard: Partial<DiffGuard> = {}, force = false) =>
    box.host.changes(workspace, { guard: { ...wideGuard, ...guard }, force });

  it('blocks beyond any limit with the true summary, and only beyond', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    box.tree(workspace).write({ 'a.txt': '1\n2\n', 'b.txt': '3\n' });
    const summary = { file_count: 2, added: 3, deleted: 0, total_bytes: 6 };
    for (const guard of [{ max_files: 1 }, { max_lines: 2 }, { max_bytes: 5 }]) {
      expect(await read(workspace, guard)).toEqual({
        summary,
        blocked: true,
        blocked_reason: 'threshold_exceeded',
        ...NOTHING,
        folders: [{ path: 'app', file_count: 2, added: 3, deleted: 0 }],
      });
      expect(await read(workspace, guard, true)).toMatchObject({
        summary,
        blocked: false,
        files: ['app/a.txt', 'app/b.txt'],
      });
    }
    expect(await read(workspace, { max_files: 2, max_lines: 3, max_bytes: 6 })).toMatchObject({
      summary,
      blocked: false,
    });
  });

  it('never holds back what lies below a path', async () => {
    const workspace = await box.prepared(box.repository('app'));
    box.tree(workspace).write({ 'src/a.txt': '1\n', 'src/b.txt': '2\n', 'srcs/c.txt': '3\n', '*/d.txt': '4\n' });
    const below = (path: string, more: object = {}) =>
      box.host.changes(workspace, { guard: { ...wideGuard, max_files: 1 }, force: false, path, ...more });
    expect(await below('app/src')).toMatchObject({
      blocked: false,
      files: ['app/src/a.txt', 'app/src/b.txt'],
      summary: { file_count: 2, added: 2 },
    });
    expect((await below('app/*')).files).toEqual(['app/*/d.txt']);
    expect(await below('app/../app/src')).toMatchObject({ blocked: true, blocked_reason: 'path_outside_workspace' });
    expect(await below('app/srcs/e.txt')).toMatchObject({ files: [], nearest: 'app/srcs/c.txt' });
    expect(await below('app', { max_bytes: 30 })).toMatchObject({
      files: ['app/*/d.txt', 'app/src/a.txt'],
      summary: { file_count: 4 },
      truncated: true,
      next_cursor: 2,
    });
    expect(await below('app', { max_bytes: 30, cursor: 2 })).toMatchObject({
      files: ['app/src/b.txt'],
      truncated: true,
      next_cursor: 3,
    });
    expect(await below('app', { cursor: 3 })).toMatchObject({
      files: ['app/srcs/c.txt'],
      truncated: false,
      next_cursor: null,
    });
  });

  it('caps the list under force', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    box
      .tree(workspace)
      .write(
        Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`f/${String(at).padStart(5, '0')}.txt`, 'x\n'])),
      );
    const changes = await read(workspace, {}, true);
    expect(changes).toMatchObject({ truncated: true, blocked: false, summary: { file_count: 5_001, added: 5_001 } });
    expect([changes.files.length, changes.file_stats.length]).toEqual([5_000, 5_000]);
    expect(changes.files.at(-1)).toBe('app/f/04999.txt');
  });

  it('says summary_failed where counts cannot be had, and lists names alone under force', async () => {
    const app = box.repository('app', { 'a.txt': 'one\n' });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    const object = tree.git('rev-parse', 'HEAD:a.txt');
    tree.write({ 'a.txt': 'two\n', 'b.txt': 'new\n' });
    rmSync(path.join(app.dir, '.git/objects', object.slice(0, 2), object.slice(2)));
    expect(await read(workspace)).toEqual({
      summary: { file_count: 0, added: 0, deleted: 0, total_bytes: 0 },
      blocked: true,
      blocked_reason: 'summary_failed',
      ...NOTHING,
      folders: [{ path: 'app', file_count: 2, added: 0, deleted: 0 }],
    });
    expect(await read(workspace, {}, true)).toMatchObject({
      blocked: false,
      files: ['app/a.txt', 'app/b.txt'],
      summary: { file_count: 2, added: 0, total_bytes: 8 },
    });
    expect(
      await box.host.patch(workspace, { paths: ['app'], max_bytes: 1000, guard: wideGuard, force: false }),
    ).toMatchObject({ blocked: true, blocked_reason: 'summary_failed' });
    workspace.repos[0]!.base_commit = '1'.repeat(40);
    expect(await read(workspace)).toMatchObject({ blocked_reason: 'summary_failed' });
    await expect(read(workspace, {}, true)).rejects.toMatchObject({ code: 'git_failed' });
  });
});
