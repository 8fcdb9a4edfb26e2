import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitRepository } from '../../test/support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Workspace } from './workspace-host.js';

describe('dispose', () => {
  let box: WorkspaceSandbox;
  let app: GitRepository;
  beforeEach(() => {
    box = new WorkspaceSandbox();
    app = box.repository('app', { 'a.txt': 'one\n', 'b.txt': 'one\n', '.gitignore': '*.log\n' });
  });
  afterEach(() => box.remove());

  const isGone = (workspace: Workspace) => {
    expect(existsSync(path.join(box.dataDir, 'worktrees', workspace.attempt_id))).toBe(false);
    expect(app.worktrees()).toEqual([app.dir]);
    expect(readdirSync(path.join(box.dataDir, 'worktrees/.trash'))).toEqual([]);
  };

  it('removes a clean worktree without a saved ref, and the branch only when asked', async () => {
    const before = app.checkout();
    const [kept, deleted] = [await box.prepared(app), await box.prepared(app)];
    await box.host.dispose(kept, { deleteBranch: false });
    await box.host.dispose(deleted, { deleteBranch: true });
    isGone(kept);
    isGone(deleted);
    expect(app.branches()).toEqual(['main', kept.branch]);
    expect(app.git('for-each-ref', 'refs/taskyard')).toBe('');
    expect(app.checkout()).toEqual(before);
    await box.host.dispose(deleted, { deleteBranch: true });
  });

  it('keeps a branch whose commits are nowhere else, and deletes one that is merged', async () => {
    const [own, merged] = [await box.prepared(app), await box.prepared(app)];
    for (const workspace of [own, merged]) {
      box.tree(workspace).write({ 'work.txt': workspace.branch });
      box.tree(workspace).commit('work');
    }
    await box.host.refresh(merged);
    app.git('branch', 'release', merged.branch);
    for (const workspace of [own, merged]) await box.host.dispose(workspace, { deleteBranch: true });
    expect(app.branches()).toEqual(['main', 'release', own.branch].sort());
    expect(app.git('for-each-ref', 'refs/taskyard')).toBe('');
  });

  it('deletes a branch without commits of its own even when its start is on no branch any more', async () => {
    const workspace = await box.prepared(app);
    app.git('commit', '--quiet', '--amend', '-m', 'rewritten');
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(app.branches()).toEqual(['main']);
  });

  it('keeps a branch that the user has checked out', async () => {
    const workspace = await box.prepared(app);
    await box.host.dispose(workspace, { deleteBranch: false });
    app.git('checkout', '--quiet', workspace.branch);
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(app.branches()).toContain(workspace.branch);
  });

  it('removes the worktree when the repository of the user is gone', async () => {
    const workspace = await box.prepared(app);
    box.tree(workspace).write({ 'new.txt': 'work' });
    rmSync(app.dir, { recursive: true });
    await expect(box.host.changes(workspace, { guard: wideGuard, force: false })).rejects.toMatchObject({
      code: 'workspace_lost',
    });
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(existsSync(box.tree(workspace).dir)).toBe(false);
    expect(await box.host.isDirty(workspace)).toBe(false);
  });

  it('removes read-only folders, as module caches have them', async () => {
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'cache/deep/module.log': 'x' });
    for (const folder of ['cache/deep', 'cache']) chmodSync(path.join(tree.dir, folder), 0o555);
    await box.host.dispose(workspace, { deleteBranch: true });
    isGone(workspace);
  });

  it('says when the packed refs of the user are locked, and finishes later', async () => {
    const workspace = await box.prepared(app);
    writeFileSync(path.join(app.dir, '.git/packed-refs.lock'), '');
    await expect(box.host.dispose(workspace, { deleteBranch: true })).rejects.toMatchObject({ code: 'repo_locked' });
    rmSync(path.join(app.dir, '.git/packed-refs.lock'));
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(app.branches()).toEqual(['main']);
    isGone(workspace);
  });

  it('never removes or saves anything behind a link that an agent has put in the place of a folder', async () => {
    const precious = box.repository('precious', { 'keep.txt': 'keep' });
    precious.write({ 'draft.txt': 'draft' });
    mkdirSync(box.path('elsewhere'));
    const [treeLink, attemptLink] = [await box.prepared(app), await box.prepared(app)];
    renameSync(box.tree(treeLink).dir, box.path('elsewhere/moved'));
    symlinkSync(precious.dir, box.tree(treeLink).dir);
    const attempt = path.dirname(box.tree(attemptLink).dir);
    renameSync(attempt, box.path('elsewhere/attempt'));
    symlinkSync(box.dir, attempt);
    const before = precious.checkout();
    for (const workspace of [treeLink, attemptLink]) await box.host.dispose(workspace, { deleteBranch: true });
    expect(precious.checkout()).toEqual(before);
    expect(readdirSync(precious.dir).sort()).toEqual(['.git', 'draft.txt', 'keep.txt']);
    expect(existsSync(box.path('elsewhere/moved/a.txt'))).toBe(true);
    expect(readdirSync(path.join(box.dataDir, 'worktrees'))).toEqual(['.trash']);
    expect(precious.git('for-each-ref', 'refs/taskyard')).toBe('');
  });
});

describe('settle', () => {
  it('removes locks of killed agents, looks at files once, and never fails', async () => {
    const box = new WorkspaceSandbox();
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    const gitDir = tree.git('rev-parse', '--absolute-git-dir');
    for (const lock of ['index.lock', 'HEAD.lock']) writeFileSync(path.join(gitDir, lock), '');
    await box.host.refresh(workspace);
    tree.write({ 'new.txt': 'x' });
    tree.commit('the lock is gone');
    rmSync(tree.dir, { recursive: true });
    await box.host.refresh(workspace);
    box.remove();
  });
});
