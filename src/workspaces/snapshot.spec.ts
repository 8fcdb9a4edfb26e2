import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { RepositorySnapshot } from './saved-work.js';
import type { Workspace } from './workspace-host.js';

const WIDE = { known: {}, maxBytes: 50_000_000, store: 'database' as const };

describe('the saved work of an attempt', () => {
  let here: WorkspaceSandbox;
  let there: WorkspaceSandbox;
  let app: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;
  beforeEach(async () => {
    here = new WorkspaceSandbox({ owner: 'here' });
    app = here.repository('app', { 'a.txt': 'one\n', 'b.txt': 'one\n', 'run.sh': 'echo\n', '.gitignore': '*.log\n' });
    there = new WorkspaceSandbox({ within: here, dataDir: here.path('other/data'), owner: 'there' });
    workspace = await here.prepared(app);
    tree = here.tree(workspace);
  });
  afterEach(() => here.remove());

  const save = (more: Partial<typeof WIDE> = {}) => here.host.snapshot(workspace, { ...WIDE, ...more });
  /** The repository on the machine of the other runner. */
  const cloned = (name: string): Workspace => {
    const clone = here.path('other', name);
    execFileSync('git', ['clone', '-q', '--single-branch', '--branch', 'main', app.dir, clone], { stdio: 'ignore' });
    return { ...workspace, repos: workspace.repos.map((repo) => ({ ...repo, repo_path: clone })) };
  };
  const rebuild = async (moved: Workspace, snapshots: RepositorySnapshot[]) => {
    const bases = await there.host.rebuild(moved, { from: 'here', snapshots });
    expect(bases).toEqual({ app: workspace.repos[0]!.base_commit });
    return there.tree(moved);
  };
  const status = ({ dir }: GitRepository) =>
    execFileSync('git', ['-C', dir, 'status', '--porcelain=v1', '--branch', '-z'], { encoding: 'utf8' });
  const differences = (a: string, b: string) => {
    try {
      return execFileSync('diff', ['-r', '--no-dereference', '--exclude=.git', a, b], { encoding: 'utf8' });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  /** Commits, staged, unstaged, deleted, untracked and odd files. */
  const work = () => {
    tree.write({ 'c.txt': 'committed\n' });
    tree.commit('A commit of the agent');
    tree.write({ 'a.txt': 'staged\n' });
    tree.git('add', 'a.txt');
    tree.write({
      'a.txt': 'staged, then changed\n',
      'new dir/ü\n.txt': 'untracked\n',
      'bin.dat': Buffer.from([0, 255]),
    });
    rmSync(path.join(tree.dir, 'b.txt'));
    tree.git('update-index', '--chmod=+x', 'run.sh');
    execFileSync('chmod', ['+x', path.join(tree.dir, 'run.sh')]);
    symlinkSync('/nowhere', path.join(tree.dir, 'link'));
  };

  it('is rebuilt on another machine as it was: branch, index and files', async () => {
    work();
    const before = status(tree);
    const moved = await rebuild(cloned('app'), await save());
    expect(status(moved)).toBe(before);
    expect(before).toContain('MM a.txt');
    expect(differences(tree.dir, moved.dir)).toBe('');
    expect(moved.git('log', '-1', '--format=%H %s')).toBe(tree.git('log', '-1', '--format=%H %s'));
    expect(moved.git('diff', '--cached', '--name-only')).toBe('a.txt\nrun.sh');
  });

  it('leaves ignored files out, and the user and the agent in peace', async () => {
    work();
    tree.write({ 'x.log': 'ignored' });
    const [checkout, index] = [userCheckout(app), readFileSync(`${tree.git('rev-parse', '--absolute-git-dir')}/index`)];
    const moved = await rebuild(cloned('app'), await save());
    expect(existsSync(path.join(moved.dir, 'x.log'))).toBe(false);
    expect(userCheckout(app)).toEqual(checkout);
    expect(readFileSync(`${tree.git('rev-parse', '--absolute-git-dir')}/index`).equals(index)).toBe(true);
    expect(app.git('for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/heads/main',
      `refs/heads/${workspace.branch}`,
      `refs/taskyard/held/${workspace.attempt_id}/base`,
    ]);
  });

  it('goes with the worktree', async () => {
    work();
    await save();
    await here.host.dispose(workspace, { deleteBranch: true });
    expect(app.git('for-each-ref', '--format=%(refname)', 'refs/taskyard/snapshots')).toBe('');
  });

  it('is nothing where nothing was done, and nothing new where nothing has changed', async () => {
    const [clean] = await save();
    expect(clean).toMatchObject({ work: null, bundle: null, is_too_large: false, head: app.head });
    expect(await save({ known: { app: clean!.fingerprint } })).toEqual([]);
    tree.write({ 'a.txt': 'two\n' });
    const [changed] = await save({ known: { app: clean!.fingerprint } });
    expect(changed!.bundle!.length).toBeGreaterThan(100);
    expect(await save({ known: { app: changed!.fingerprint } })).toEqual([]);
    const moved = await rebuild(cloned('app'), [clean!]);
    expect(status(moved)).toBe(`## ${workspace.branch}\0`);
  });

  it('says so when it is too large, and keeps where the branch stood', async () => {
    tree.write({ 'noise.bin': Buffer.from(Array.from({ length: 90_000 }, (_, at) => (at * at * 31) % 251)) });
    const [snapshot] = await save({ maxBytes: 300 });
    expect(snapshot).toMatchObject({ bundle: null, is_too_large: true, head: app.head });
  });

  it('holds what stands in the midst of a merge as files with markers', async () => {
    tree.write({ 'a.txt': 'ours\n' });
    tree.commit('ours');
    app.write({ 'a.txt': 'theirs\n' });
    app.commit('theirs');
    await here.host.updateBranch(workspace, { repo_name: 'app', method: 'merge', message: 'Work' });
    const moved = await rebuild(cloned('app'), await save());
    expect(readFileSync(path.join(moved.dir, 'a.txt'), 'utf8')).toContain('<<<<<<<');
  });

  it('is refused by a repository that lacks what it builds on', async () => {
    work();
    const snapshots = await save();
    const stranger = here.repository('stranger', { 'z.txt': 'another history\n' });
    const moved = { ...workspace, repos: workspace.repos.map((repo) => ({ ...repo, repo_path: stranger.dir })) };
    await expect(there.host.rebuild(moved, { from: 'here', snapshots })).rejects.toMatchObject({
      code: 'workspace_lost',
      details: { reason: 'app lacks the commit that the saved work builds on' },
    });
    expect(existsSync(path.join(there.dataDir, 'worktrees', workspace.attempt_id))).toBe(false);
  });

  it('is laid into a second worktree where runners share the repository', async () => {
    work();
    const before = status(tree);
    const snapshots = await save();
    const moved = await rebuild(workspace, snapshots);
    expect(status(moved)).toBe(before);
    expect(differences(tree.dir, moved.dir)).toBe('');
    await there.host.dispose(workspace, { deleteBranch: false });
  });

  it('keeps commits of a shared repository that are newer than the snapshot', async () => {
    work();
    const snapshots = await save();
    tree.git('commit', '-qm', 'later');
    await here.host.refresh(workspace);
    const moved = await rebuild(workspace, snapshots);
    expect(moved.head).toBe(tree.head);
  });

  it('goes on with the worktree itself on a shared volume', async () => {
    work();
    const snapshots = await save();
    tree.write({ 'later.txt': 'after the snapshot\n' });
    const shared = new WorkspaceSandbox({ within: here, dataDir: here.dataDir, owner: 'shared' });
    await shared.host.rebuild(workspace, { from: 'here', snapshots });
    expect(readFileSync(path.join(tree.dir, 'later.txt'), 'utf8')).toBe('after the snapshot\n');
  });

  it('replaces a worktree that this runner had before', async () => {
    const elsewhere = cloned('app');
    const first = await rebuild(elsewhere, await save());
    first.write({ 'old.txt': 'left by the first stay\n' });
    work();
    await there.host.rebuild(elsewhere, { from: 'here', snapshots: await save() });
    expect(differences(tree.dir, first.dir)).toBe('');
  });

  it('is laid in again where a crash came between', async () => {
    work();
    const snapshots = await save();
    const elsewhere = cloned('app');
    const moved = await rebuild(elsewhere, snapshots);
    rmSync(path.join(moved.git('rev-parse', '--absolute-git-dir'), 'index'));
    rmSync(path.join(moved.dir, 'a.txt'));
    await there.host.rebuild(elsewhere, { from: 'here', snapshots });
    expect([differences(tree.dir, moved.dir), status(moved)]).toEqual(['', status(tree)]);
  });
});
