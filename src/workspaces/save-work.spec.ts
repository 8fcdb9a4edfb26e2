import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Workspace } from './workspace-host.js';

describe('work that dispose saves', () => {
  let box: WorkspaceSandbox;
  let app: GitRepository;
  beforeEach(() => {
    box = new WorkspaceSandbox();
    app = box.repository('app', { 'a.txt': 'one\n', 'b.txt': 'one\n', '.gitignore': '*.log\n' });
  });
  afterEach(() => box.remove());

  const savedRef = (workspace: Workspace) => `refs/taskyard/saved/${workspace.attempt_id}`;
  const savedFiles = (workspace: Workspace) =>
    app.git('ls-tree', '-r', '--name-only', '-z', savedRef(workspace)).split('\0').filter(Boolean);
  const isGone = (workspace: Workspace) => {
    expect(existsSync(path.join(box.dataDir, 'worktrees', workspace.attempt_id))).toBe(false);
    expect(app.worktrees()).toEqual([app.dir]);
    expect(readdirSync(path.join(box.dataDir, 'worktrees/.trash'))).toEqual([]);
  };

  it('saves uncommitted, staged, deleted and untracked work as a commit first', async () => {
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'a.txt': 'two\n', 'new dir/ü\n.txt': 'new\n', 'x.log': 'ignored', 'staged.txt': 's' });
    tree.git('add', 'staged.txt');
    rmSync(path.join(tree.dir, 'b.txt'));
    const { head } = tree;
    await box.host.dispose(workspace, { deleteBranch: true });
    isGone(workspace);
    expect(savedFiles(workspace)).toEqual(['.gitignore', 'a.txt', 'new dir/ü\n.txt', 'staged.txt']);
    expect(app.git('show', `${savedRef(workspace)}:a.txt`)).toBe('two');
    expect(app.git('log', '-1', '--format=%P %an <%ae>', savedRef(workspace))).toBe(
      `${head} Taskyard <taskyard@localhost>`,
    );
    expect(app.branches()).toEqual(['main']);
  });

  it('saves the files of repositories inside, with and without a commit, and of those inside them', async () => {
    const workspace = await box.prepared(app);
    const inner = new GitRepository(path.join(box.tree(workspace).dir, 'made/app'));
    inner.init();
    inner.write({ 'tracked.txt': 't', '.gitignore': 'dist\n', 'dist/x': 'built' });
    inner.commit('own history');
    inner.write({ 'un"tracked\n.txt': 'u' });
    const innermost = new GitRepository(path.join(inner.dir, 'deep'));
    innermost.init();
    innermost.write({ 'd.txt': 'd' });
    expect(await box.host.isDirty(workspace)).toBe(true);
    await box.host.dispose(workspace, { deleteBranch: true });
    isGone(workspace);
    expect(savedFiles(workspace)).toEqual([
      '.gitignore',
      'a.txt',
      'b.txt',
      'made/app/.gitignore',
      'made/app/deep/d.txt',
      'made/app/tracked.txt',
      'made/app/un"tracked\n.txt',
    ]);
  });

  it('saves commits of a detached HEAD, and what is not committed upon it', async () => {
    const [clean, dirty] = [await box.prepared(app), await box.prepared(app)];
    for (const workspace of [clean, dirty]) {
      const tree = box.tree(workspace);
      tree.git('checkout', '--quiet', '--detach');
      tree.write({ 'detached.txt': 'x' });
      tree.commit('on no branch');
    }
    box.tree(dirty).write({ 'more.txt': 'x' });
    for (const workspace of [clean, dirty]) await box.host.dispose(workspace, { deleteBranch: true });
    expect(savedFiles(clean)).toContain('detached.txt');
    expect(savedFiles(dirty)).toEqual(expect.arrayContaining(['detached.txt', 'more.txt']));
    expect(app.branches()).toEqual(['main']);
  });

  it('keeps what was saved before as a parent', async () => {
    const workspace = await box.prepared(app);
    box.tree(workspace).write({ 'first.txt': '1' });
    await box.host.dispose(workspace, { deleteBranch: false });
    const first = app.git('rev-parse', savedRef(workspace));
    await box.host.prepare(workspace);
    box.tree(workspace).write({ 'second.txt': '2' });
    await box.host.dispose(workspace, { deleteBranch: false });
    expect(app.git('rev-parse', `${savedRef(workspace)}^2`)).toBe(first);
  });

  it('saves the middle of a conflict, and works beside the lock of a killed agent', async () => {
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'a.txt': 'ours\n' });
    tree.commit('ours');
    tree.git('checkout', '--quiet', '-b', 'side', 'HEAD^');
    tree.write({ 'a.txt': 'theirs\n' });
    tree.commit('theirs');
    expect(() => tree.git('merge', workspace.branch)).toThrow();
    writeFileSync(path.join(tree.git('rev-parse', '--absolute-git-dir'), 'index.lock'), '');
    await box.host.dispose(workspace, { deleteBranch: true });
    isGone(workspace);
    expect(app.git('show', `${savedRef(workspace)}:a.txt`)).toContain('<<<<<<<');
    const commits = app.git('log', '--format=%s', savedRef(workspace)).split('\n');
    expect(commits).toEqual(expect.arrayContaining(['ours', 'theirs']));
  });

  it('saves files even where the agent has destroyed .git', async () => {
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'new.txt': 'work' });
    rmSync(path.join(tree.dir, '.git'), { recursive: true });
    const before = app.checkout();
    await box.host.dispose(workspace, { deleteBranch: true });
    isGone(workspace);
    expect(savedFiles(workspace)).toEqual(['.gitignore', 'a.txt', 'b.txt', 'new.txt']);
    expect(app.checkout()).toEqual(before);
  });

  it('keeps the worktree when its work cannot be saved, and still removes the others', async () => {
    const other = box.repository('other');
    const workspace = await box.prepared(app, other);
    box.tree(workspace, 'app').write({ 'new.txt': 'work' });
    app.write({ [`.git/${savedRef(workspace)}.lock`]: '' });
    await expect(box.host.dispose(workspace, { deleteBranch: true })).rejects.toMatchObject({ code: 'repo_locked' });
    expect(readFileSync(path.join(box.tree(workspace, 'app').dir, 'new.txt'), 'utf8')).toBe('work');
    expect(existsSync(box.tree(workspace, 'other').dir)).toBe(false);
    rmSync(path.join(app.dir, '.git', `${savedRef(workspace)}.lock`));
    await box.host.dispose(workspace, { deleteBranch: true });
    isGone(workspace);
  });
});
