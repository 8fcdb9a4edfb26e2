import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';

describe('preparing again', () => {
  let box: WorkspaceSandbox;
  beforeEach(() => {
    box = new WorkspaceSandbox();
  });
  afterEach(() => box.remove());

  it('is repeatable: the work of an agent stays, a broken-off try is completed', async () => {
    const app = box.repository('app', { 'a.txt': 'a', 'b.txt': 'b' });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'a.txt': 'work', 'new.txt': 'work' });
    expect(await box.host.prepare(workspace)).toEqual({ app: app.head });
    expect(readFileSync(path.join(tree.dir, 'a.txt'), 'utf8')).toBe('work');

    const gitDir = tree.git('rev-parse', '--absolute-git-dir');
    rmSync(path.join(gitDir, 'index'));
    writeFileSync(path.join(gitDir, 'index.lock'), 'left by a killed git');
    rmSync(path.join(tree.dir, 'b.txt'));
    writeFileSync(path.join(tree.dir, 'a.txt'), 'half wri');
    await box.host.prepare({ ...workspace, repos: workspace.repos.map((repo) => ({ ...repo, base_commit: null })) });
    expect(readFileSync(path.join(tree.dir, 'a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(path.join(tree.dir, 'b.txt'), 'utf8')).toBe('b');
  });

  it('starts anew over remains: a folder without git, a branch without worktree, a record without folder', async () => {
    const app = box.repository('app');
    const workspace = box.workspace([app]);
    const { dir } = box.tree(workspace);
    box.tree(workspace).write({ 'remains.txt': 'half' });
    app.git('branch', workspace.branch);
    await box.host.prepare(workspace);
    expect(existsSync(path.join(dir, 'readme.md'))).toBe(true);
    expect(existsSync(path.join(dir, 'remains.txt'))).toBe(false);
    rmSync(dir, { recursive: true });
    expect(await box.host.prepare(workspace)).toEqual({ app: app.head });
    expect(existsSync(path.join(dir, 'readme.md'))).toBe(true);
  });

  it('forgets only its own missing worktrees, not those of the user on an unmounted disk', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    app.git('worktree', 'add', '--quiet', box.path('usb-stick'));
    rmSync(box.path('usb-stick'), { recursive: true });
    rmSync(box.tree(workspace).dir, { recursive: true });
    await box.host.prepare(workspace);
    expect(app.worktrees()).toContain(box.path('usb-stick'));
  });

  it('comes back from its branch when the worktree is gone, and is lost when the branch is gone too', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'done.txt': 'done' });
    tree.commit('work');
    await box.host.refresh(workspace);
    rmSync(tree.dir, { recursive: true });
    expect(await box.host.prepare(workspace)).toEqual({ app: app.head });
    expect(existsSync(path.join(tree.dir, 'done.txt'))).toBe(true);
    await box.host.dispose(workspace, { deleteBranch: false });
    app.git('branch', '-D', workspace.branch);
    await expect(box.host.prepare(workspace)).rejects.toMatchObject({
      code: 'workspace_lost',
      details: { workspace_branch: workspace.branch },
    });
  });

  it('never clears files of a worktree that was whole', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'precious.txt': 'work' });
    rmSync(path.join(tree.dir, '.git'), { recursive: true });
    await expect(box.host.prepare(workspace)).rejects.toMatchObject({ code: 'workspace_lost' });
    expect(existsSync(path.join(tree.dir, 'precious.txt'))).toBe(true);
  });

  it('works with ids of SHA-256, and with a shallow clone', async () => {
    const sha256 = new GitRepository(box.path('sha256'));
    execFileSync('git', ['init', '--quiet', '--object-format=sha256', '--initial-branch=main', sha256.dir]);
    sha256.write({ 'a.txt': 'a\n' });
    sha256.commit('first');
    sha256.git('commit', '--quiet', '--allow-empty', '--message', 'second');
    sha256.git('clone', '--quiet', '--depth=1', `file://${sha256.dir}`, box.path('shallow'));
    for (const repository of [sha256, new GitRepository(box.path('shallow'))]) {
      const workspace = await box.prepared(repository);
      box.tree(workspace).write({ 'b.txt': 'b\n' });
      const { files } = await box.host.changes(workspace, { guard: wideGuard, force: false });
      expect(files.map((file) => file.split('/')[1])).toEqual(['b.txt']);
      const [commit] = Object.values(await box.host.commit(workspace, 'work'));
      expect(repository.git('rev-parse', workspace.branch)).toBe(commit);
      expect(commit).toHaveLength(64);
      await box.host.dispose(workspace, { deleteBranch: false });
    }
  });

  it('keeps what an attempt builds on from a gc of the user', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const base = app.head;
    app.git('checkout', '--quiet', '--orphan', 'fresh');
    app.commit('another history');
    app.git('branch', '--quiet', '-D', 'main', workspace.branch);
    app.git('reflog', 'expire', '--expire=now', '--all');
    app.git('gc', '--quiet', '--prune=now');
    const tree = box.tree(workspace);
    tree.write({ 'new.txt': 'work' });
    expect(Object.keys(await box.host.commit(workspace, 'work'))).toEqual(['app']);
    expect(app.git('rev-parse', `${workspace.branch}^`)).toBe(base);
  });

  it('packs its store when looks have filled it with packs', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    const packs = () => readdirSync(path.join(box.dataDir, 'stores', workspace.attempt_id, 'app.git/objects/pack'));
    for (let at = 0; at < 52; at += 1) {
      tree.write({ 'a.txt': `${at}\n` });
      await box.host.standing(workspace);
    }
    expect(packs().filter((name) => name.endsWith('.pack')).length).toBeGreaterThan(50);
    await box.host.refresh(workspace);
    expect(packs().filter((name) => name.endsWith('.pack')).length).toBeLessThan(10);
    expect(await box.host.standing(workspace)).toMatchObject([{ uncommitted: true }]);
  });
});
