import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { maxPatchBytes } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';

describe('limits of a patch', () => {
  let box: WorkspaceSandbox;
  beforeEach(() => {
    box = new WorkspaceSandbox();
  });
  afterEach(() => box.remove());

  const read = (
    workspace: Workspace,
    paths: string[],
    options: { max_bytes?: number; guard?: object; force?: boolean; cursor?: number } = {},
  ) =>
    box.host.patch(workspace, {
      paths,
      max_bytes: options.max_bytes ?? 204_800,
      cursor: options.cursor ?? 0,
      guard: { ...wideGuard, ...options.guard },
      force: options.force ?? false,
    });

  it('cuts at a line end, also across repositories and amid a flood', async () => {
    const [one, two] = [box.repository('one'), box.repository('two')];
    const workspace = await box.prepared(one, two);
    box.tree(workspace, 'one').write({ 'a.txt': 'line of thirteen\n'.repeat(10) });
    box.tree(workspace, 'two').write({ 'flood.txt': 'é 10 bytes\n'.repeat(4_000_000) });
    const whole = await read(workspace, ['one'], { force: true });
    const cut = await read(workspace, ['one'], { max_bytes: whole.bytes - 1, force: true });
    expect(cut).toMatchObject({ truncated: true, bytes: whole.bytes - '+line of thirteen\n'.length });
    expect(whole.patch!.startsWith(cut.patch!)).toBe(true);
    expect(await read(workspace, ['one'], { max_bytes: whole.bytes, force: true })).toMatchObject({
      truncated: false,
      bytes: whole.bytes,
    });
    const both = await read(workspace, ['one', 'two'], { max_bytes: maxPatchBytes, force: true });
    expect(both).toMatchObject({ truncated: true, blocked: false });
    expect(both.patch!.startsWith(whole.patch!)).toBe(true);
    expect(both.patch!.endsWith('\n+é 10 bytes\n')).toBe(true);
    expect(both.bytes).toBe(Buffer.byteLength(both.patch!));
    expect(maxPatchBytes - both.bytes).toBeLessThan(20);
    expect(await read(workspace, ['two'], { max_bytes: 5, force: true })).toMatchObject({
      truncated: true,
      patch: '',
      bytes: 0,
    });
  });

  it('goes on at a cursor, until all of it was read', async () => {
    const workspace = await box.prepared(box.repository('one'), box.repository('two'));
    box.tree(workspace, 'one').write({ 'a.txt': 'é line\n'.repeat(100) });
    box.tree(workspace, 'two').write({ 'b.txt': 'another line\n'.repeat(100), 'latin.txt': Buffer.from([233, 10]) });
    const whole = await read(workspace, ['one', 'two']);
    const parts: string[] = [];
    for (let cursor: number | null = 0; cursor !== null;) {
      const part = await read(workspace, ['one', 'two'], { max_bytes: 300, cursor });
      expect([part.bytes <= 300, part.bytes > 0, part.truncated]).toEqual([true, true, part.next_cursor !== null]);
      parts.push(part.patch!);
      cursor = part.next_cursor;
    }
    expect(parts.join('')).toBe(whole.patch);
    expect(parts.length).toBeGreaterThan(5);
  });

  it('names the changed path that is nearest to one without a change', async () => {
    const workspace = await box.prepared(box.repository('app'));
    box.tree(workspace).write({ 'src/health.ts': '1\n', 'readme.md': '2\n' });
    expect(await read(workspace, ['src/health.ts'])).toMatchObject({
      patch: '',
      skipped_paths: ['src/health.ts'],
      nearest: 'app/src/health.ts',
    });
    expect(await read(workspace, ['app'])).toMatchObject({ nearest: null, next_cursor: null });
  });

  it('stays below the limit where bytes that are not UTF-8 grow', async () => {
    const workspace = await box.prepared(box.repository('app'));
    box.tree(workspace).write({ 'latin.txt': Buffer.from('\xe9\xe9\xe9\xe9\n'.repeat(1_000), 'latin1') });
    const answer = await read(workspace, ['app'], { max_bytes: 6_000 });
    expect(answer).toMatchObject({ truncated: true, bytes: Buffer.byteLength(answer.patch!) });
    expect(answer.bytes).toBeLessThanOrEqual(6_000);
  });

  it('refuses too many paths, too many bytes and paths that lead outside', async () => {
    const workspace = await box.prepared(box.repository('app'));
    const blocked = {
      of: 'work',
      blocked: true,
      nearest: null,
      next_cursor: null,
      truncated: false,
      bytes: 0,
      paths: [],
      skipped_paths: [],
      patch: null,
      file_stats: [],
    };
    expect(await read(workspace, Array<string>(101).fill('app/a'))).toEqual({
      ...blocked,
      blocked_reason: 'too_many_paths',
    });
    expect(await read(workspace, Array<string>(100).fill('app/a'))).toMatchObject({ blocked: false });
    expect(await read(workspace, ['app'], { max_bytes: maxPatchBytes + 1 })).toEqual({
      ...blocked,
      blocked_reason: 'size_exceeded',
    });
    const foreign = ['/etc/passwd', '../x', 'app/../../x', 'app/.git/config', 'app/x\0y'];
    expect(await read(workspace, ['app/a', ...foreign])).toEqual({
      ...blocked,
      blocked_reason: 'path_outside_workspace',
      skipped_paths: foreign,
    });
  });

  it('is guarded by the whole attempt, unless forced', async () => {
    const workspace = await box.prepared(box.repository('app'));
    box.tree(workspace).write({ 'a.txt': '1\n', 'b.txt': '2\n' });
    const guard = { max_files: 1 };
    expect(await read(workspace, ['app/a.txt'], { guard })).toMatchObject({
      blocked: true,
      blocked_reason: 'threshold_exceeded',
      patch: null,
    });
    expect(await read(workspace, ['app/a.txt'], { guard, force: true })).toMatchObject({
      blocked: false,
      paths: ['app/a.txt'],
    });
  });
});
