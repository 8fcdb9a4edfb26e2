import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { SmallDisk } from '../../test/support/small-disk.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { onlyWith } from '../../test/support/machine.js';

const MEGABYTE = 1024 * 1024;

onlyWith('mount').describe('a full disk', () => {
  let disk: SmallDisk;
  let box: WorkspaceSandbox;
  beforeEach(() => {
    disk = new SmallDisk(8 * MEGABYTE);
    box = new WorkspaceSandbox({ dataDir: path.join(disk.dir, 'data') });
  });
  afterEach(() => {
    disk.remove();
    box.remove();
  });

  const free = () => {
    const { bavail, bsize } = statfsSync(disk.dir);
    return bavail * bsize;
  };
  const fill = () => {
    let size = free();
    while (size > 0) {
      try {
        writeFileSync(path.join(disk.dir, `filler-${size}`), Buffer.alloc(size));
        size = free();
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        size = Math.floor(size / 2);
      }
    }
  };

  const empty = () => {
    for (const name of readdirSync(disk.dir).filter((entry) => entry.startsWith('filler')))
      rmSync(path.join(disk.dir, name));
  };

  it.each([1, 60])(
    'is reported when a tree does not fit into %d file(s), and all that was made is taken back',
    async (files) => {
      const app = box.repository(
        'app',
        Object.fromEntries(Array.from({ length: files }, (_, at) => [`f${at}`, randomBytes((10 * MEGABYTE) / files)])),
      );
      const small = box.repository('small');
      const workspace = box.workspace([small, app]);
      await expect(box.host.prepare(workspace)).rejects.toMatchObject({
        code: 'storage_full',
        row: { retryable: true },
      });
      for (const repository of [app, small]) {
        expect(repository.branches()).toEqual(['main']);
        expect(repository.worktrees()).toEqual([repository.dir]);
      }
      expect(existsSync(path.join(box.dataDir, 'worktrees', workspace.attempt_id))).toBe(false);
      expect(free()).toBeGreaterThan(7 * MEGABYTE);
    },
  );

  it('is reported when not even the folder can be made', async () => {
    const app = box.repository('app');
    fill();
    await expect(box.host.prepare(box.workspace([app]))).rejects.toMatchObject({ code: 'storage_full' });
    expect(app.branches()).toEqual(['main']);
  });

  it('keeps a worktree whose work cannot be read, until there is room', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    box.tree(workspace).write({ 'new.txt': 'work' });
    fill();
    const refused = { code: 'storage_full' };
    await expect(box.host.dispose(workspace, { deleteBranch: true })).rejects.toMatchObject(refused);
    expect(existsSync(path.join(box.tree(workspace).dir, 'new.txt'))).toBe(true);
    empty();
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(app.git('show', `refs/taskyard/saved/${workspace.attempt_id}:new.txt`)).toBe('work');
  });

  it('keeps the worktree when its work cannot be saved', async () => {
    const app = new GitRepository(path.join(disk.dir, 'app'));
    app.init();
    app.write({ 'readme.md': '' });
    app.commit('first');
    const other = new WorkspaceSandbox({ within: box, dataDir: box.path('other-data') });
    const workspace = await other.prepared(app);
    other.tree(workspace).write({ 'new.txt': randomBytes(MEGABYTE) });
    fill();
    await expect(other.host.dispose(workspace, { deleteBranch: true })).rejects.toMatchObject({ code: 'storage_full' });
    expect(existsSync(path.join(other.tree(workspace).dir, 'new.txt'))).toBe(true);
    await expect(other.host.prepare(other.workspace([app]))).rejects.toMatchObject({ code: 'storage_full' });
    empty();
    await other.host.dispose(workspace, { deleteBranch: true });
  });
});
