import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';

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
});
