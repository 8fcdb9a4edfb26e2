import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Workspace } from './workspace-host.js';

describe('commit', () => {
  let box: WorkspaceSandbox;
  let app: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;
  beforeEach(async () => {
    box = new WorkspaceSandbox();
    app = box.repository('app', { 'a.txt': 'one\n', 'b.txt': 'one\n', '.gitignore': '*.log\n' });
    workspace = await box.prepared(app);
    tree = box.tree(workspace);
  });
  afterEach(() => box.remove());

  it('commits changed, deleted, untracked and staged files to the branch, and touches nothing else', async () => {
    const before = app.checkout();
    tree.write({ 'a.txt': 'two\n', 'new dir/ü\n.txt': 'new\n', 'x.log': 'ignored', ':(top)odd': 'o' });
    rmSync(path.join(tree.dir, 'b.txt'));
    const commits = await box.host.commit(workspace, 'Turn 1\n\n# no comment\n');
    expect(commits).toEqual({ app: tree.head });
    expect(app.git('log', '-1', '--format=%B%an <%ae>', workspace.branch)).toBe(
      'Turn 1\n\n# no comment\nTaskyard <taskyard@localhost>',
    );
    expect(
      app.git('show', '--name-only', '--format=', '-z', workspace.branch).split('\0').filter(Boolean).sort(),
    ).toEqual([':(top)odd', 'a.txt', 'b.txt', 'new dir/ü\n.txt']);
    expect(tree.git('status', '--porcelain')).toBe('');
    expect(app.checkout()).toEqual(before);
  });

  it('commits nothing where nothing changed', async () => {
    const { head } = tree;
    expect(await box.host.commit(workspace, 'Turn 1')).toEqual({});
    expect(tree.head).toBe(head);
  });

  it('commits a link in place of a folder, and a folder in place of a file', async () => {
    const files = { 'src/x.txt': 'x\n', 'lib/x.txt': 'x\n', 'lib/y.txt': 'y\n', file: '' };
    const shapes = await box.prepared(box.repository('shapes', files));
    const changed = box.tree(shapes, 'shapes');
    rmSync(path.join(changed.dir, 'lib'), { recursive: true });
    symlinkSync('src', path.join(changed.dir, 'lib'));
    rmSync(path.join(changed.dir, 'file'));
    changed.write({ 'file/inside.txt': 'i\n', 'planned.txt': 'p\n' });
    changed.git('add', '--intent-to-add', 'planned.txt');
    await box.host.commit(shapes, 'Turn 1');
    expect(changed.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toEqual([
      'file/inside.txt',
      'lib',
      'planned.txt',
      'src/x.txt',
    ]);
    expect(changed.git('show', 'HEAD:planned.txt')).toBe('p');
    expect(changed.git('status', '--porcelain')).toBe('');
  });

  it('runs no hook of the user and asks for no signature', async () => {
    const hook = path.join(app.dir, '.git/hooks/pre-commit');
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    app.git('config', 'commit.gpgSign', 'true');
    app.git('config', 'gpg.program', '/bin/false');
    tree.write({ 'a.txt': 'two\n' });
    expect(await box.host.commit(workspace, 'Turn 1')).toEqual({ app: tree.head });
  });

  it('leaves repositories inside the worktree alone, so that their files are still seen', async () => {
    const inner = new GitRepository(path.join(tree.dir, 'made here/lib'));
    inner.init();
    inner.write({ 'x.txt': 'x' });
    inner.commit('own history');
    tree.write({ 'a.txt': 'two\n' });
    await box.host.commit(workspace, 'Turn 1');
    expect(app.git('ls-tree', '-r', '--name-only', workspace.branch)).toBe('.gitignore\na.txt\nb.txt');
    expect(await box.host.isDirty(workspace)).toBe(true);
  });

  it.each([
    ['is detached', () => tree.git('checkout', '--quiet', '--detach')],
    ['is another branch', () => tree.git('checkout', '--quiet', '-b', 'own-idea')],
  ])('commits nothing where HEAD %s', async (_, leave) => {
    leave();
    tree.write({ 'a.txt': 'two\n' });
    expect(await box.host.commit(workspace, 'Turn 1')).toEqual({});
    expect(tree.git('status', '--porcelain')).toBe(' M a.txt');
  });

  it('does not settle a merge that has conflicts', async () => {
    tree.write({ 'a.txt': 'ours\n' });
    tree.commit('ours');
    app.write({ 'a.txt': 'theirs\n' });
    app.commit('theirs');
    expect(() => tree.git('merge', app.head)).toThrow();
    expect(await box.host.commit(workspace, 'Turn 1')).toEqual({});
    expect(tree.git('ls-files', '--unmerged')).not.toBe('');
  });

  it('commits each repository of the attempt that has changes', async () => {
    const lib = box.repository('lib', { 'l.txt': 'l\n' });
    const both = await box.prepared(app, lib);
    box.tree(both, 'lib').write({ 'l.txt': 'two\n' });
    expect(await box.host.commit(both, 'Turn 1')).toEqual({ lib: box.tree(both, 'lib').head });
  });
});
