import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { LandingWork, MergeStrategy } from './delivery-host.js';
import type { Workspace } from './workspace-host.js';

describe('landing on a branch of the user', () => {
  let box: WorkspaceSandbox;
  let repository: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;

  beforeEach(async () => {
    box = new WorkspaceSandbox();
    repository = box.repository('app', { 'a.txt': 'one\n', 'b.txt': 'b\n' });
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    workspace = await box.prepared(repository);
    tree = box.tree(workspace);
    tree.write({ 'new.txt': 'new\n' });
    tree.commit('ours');
  });
  afterEach(() => box.remove());

  const main = () => repository.git('rev-parse', 'main');
  const work = async (strategy: MergeStrategy = 'squash'): Promise<LandingWork> => {
    const [found] = await box.host.standing(workspace);
    return {
      repo_name: 'app',
      strategy,
      source_commit: found!.head,
      target_commit: found!.target!.commit,
      tree: found!.preview!.tree!,
      message: 'Add new.txt\n',
    };
  };
  const make = async (strategy?: MergeStrategy) => {
    const made = await work(strategy);
    return { from: made.target_commit, to: await box.host.makeLanding(workspace, made) };
  };
  const land = (from: string, to: string, with_checkout = false) =>
    box.host.land(workspace, { repo_name: 'app', from, to, with_checkout });
  /** Somebody commits to main in another worktree. */
  const moveMain = (): string => {
    const other = new GitRepository(box.path('other'));
    repository.git('worktree', 'add', '--quiet', other.dir, 'main');
    other.write({ 'b.txt': 'B\n' });
    const commit = other.commit('theirs');
    repository.git('worktree', 'remove', '--force', other.dir);
    return commit;
  };

  it.each([
    ['squash', 1],
    ['merge', 2],
  ] as const)('makes a %s commit that lands without a checkout anywhere', async (strategy, parents) => {
    moveMain();
    const before = userCheckout(repository);
    const { from, to } = await make(strategy);
    expect(await land(from, to)).toEqual({ outcome: 'landed' });
    expect(main()).toBe(to);
    expect(repository.git('log', '-1', '--format=%P', 'main').split(' ')).toHaveLength(parents);
    expect(repository.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'b.txt', 'new.txt']);
    expect(userCheckout(repository)).toEqual(before);
  });

  it('takes the branch as it is for ff, refuses that behind the target, and replays it for rebase', async () => {
    expect((await make('ff')).to).toBe(tree.head);
    const theirs = moveMain();
    await expect(make('ff')).rejects.toMatchObject({ code: 'strategy_not_possible' });
    const { to } = await make('rebase');
    expect(tree.head).toBe(to);
    expect(tree.git('rev-parse', 'HEAD^')).toBe(theirs);
    expect(tree.git('branch', '--show-current')).toBe(workspace.branch);
  });

  it('leaves the branch as it was where a rebase conflicts', async () => {
    tree.write({ 'b.txt': 'ours\n' });
    tree.commit('a conflict');
    tree.write({ 'b.txt': 'b\n' });
    const head = tree.commit('and its end');
    moveMain();
    await expect(make('rebase')).rejects.toMatchObject({ code: 'strategy_not_possible' });
    expect({ head: tree.head, branch: tree.git('branch', '--show-current') }).toEqual({
      head,
      branch: workspace.branch,
    });
  });

  it('moves nothing once the target has moved, is gone, or is locked', async () => {
    const { from, to } = await make();
    const theirs = moveMain();
    expect(await land(from, to)).toEqual({ outcome: 'moved' });
    expect(main()).toBe(theirs);
    const lock = path.join(repository.dir, '.git/refs/heads/main.lock');
    writeFileSync(lock, '');
    expect(await land(theirs, to)).toEqual({ outcome: 'locked' });
    repository.git('update-ref', '--no-deref', 'HEAD', 'HEAD');
    expect(main()).toBe(theirs);
  });

  it('does not make a deleted target again', async () => {
    const { from, to } = await make();
    repository.git('branch', '--quiet', '-D', 'main');
    await expect(land(from, to)).rejects.toMatchObject({ code: 'branch_unknown' });
    expect(repository.branches()).not.toContain('main');
  });

  it('lets one of many at once win', async () => {
    const made = await work();
    const commits = await Promise.all(
      Array.from({ length: 8 }, (_, at) => box.host.makeLanding(workspace, { ...made, message: `Landing ${at}\n` })),
    );
    const landings = await Promise.all(commits.map((commit) => land(made.target_commit, commit)));
    expect(landings.map(({ outcome }) => outcome).sort()).toEqual(['landed', ...Array<string>(7).fill('moved')]);
    expect(commits).toContain(main());
  });

  it('lands in a shallow clone, also while the user is on a branch without a commit', async () => {
    repository.git('checkout', '--quiet', 'main');
    repository.commit('second');
    const shallow = new GitRepository(box.path('shallow'));
    repository.git('clone', '--quiet', '--depth', '1', `file://${repository.dir}`, shallow.dir);
    shallow.git('checkout', '--quiet', '--orphan', 'unborn');
    repository = shallow;
    workspace = await box.prepared(shallow);
    tree = box.tree(workspace);
    tree.write({ 'new.txt': 'new\n' });
    tree.commit('ours');
    const [found] = await box.host.standing(workspace);
    const made = { ...(await work()), repo_name: 'shallow', source_commit: found!.head };
    const to = await box.host.makeLanding(workspace, made);
    const move = { repo_name: 'shallow', from: made.target_commit, to, with_checkout: false };
    expect(await box.host.land(workspace, move)).toEqual({ outcome: 'landed' });
    expect(main()).toBe(to);
  });

  describe('where the target is checked out', () => {
    beforeEach(() => void repository.git('checkout', '--quiet', 'main'));

    it('refuses, with the folder and whether it is clean', async () => {
      const { from, to } = await make();
      const clean = userCheckout(repository);
      const checkout = { worktree: repository.dir, clean: true };
      expect(await land(from, to)).toEqual({ outcome: 'checked_out', checkout });
      expect(userCheckout(repository)).toEqual(clean);
      repository.write({ 'a.txt': 'mine\n' });
      expect(await land(from, to)).toEqual({ outcome: 'checked_out', checkout: { ...checkout, clean: false } });
    });

    it('brings a clean checkout along, and leaves untracked files alone', async () => {
      const { from, to } = await make();
      repository.write({ 'mine.txt': 'untracked\n' });
      expect(await land(from, to, true)).toEqual({ outcome: 'landed' });
      expect(repository.head).toBe(to);
      expect(repository.git('status', '--porcelain')).toBe('?? mine.txt');
    });

    it.each([
      ['unstaged work', () => repository.write({ 'a.txt': 'mine\n' }), 'unstaged'],
      [
        'staged work',
        () => {
          repository.write({ 'a.txt': 'mine\n' });
          repository.git('add', 'a.txt');
        },
        'staged',
      ],
      ['an untracked file in the way', () => repository.write({ 'new.txt': 'mine\n' }), 'could not update'],
    ])('refuses over %s and touches nothing', async (_, work, reason) => {
      const { from, to } = await make();
      work();
      const before = userCheckout(repository);
      expect(await land(from, to, true)).toMatchObject({
        outcome: 'checkout_dirty',
        reason: expect.stringContaining(reason),
      });
      expect(userCheckout(repository)).toEqual(before);
    });

    it('puts the files back where the branch is locked after they went along', async () => {
      const { from, to } = await make();
      writeFileSync(path.join(repository.dir, '.git/refs/heads/main.lock'), '');
      expect(await land(from, to, true)).toEqual({ outcome: 'locked' });
      expect(repository.git('status', '--porcelain')).toBe('');
      expect(repository.head).toBe(from);
    });

    it('brings a sparse checkout along, whose other folders stay away from it and in the commit', async () => {
      repository.write({ 'here/a.txt': 'a\n', 'away/b.txt': 'b\n' });
      repository.commit('folders');
      repository.git('sparse-checkout', 'set', 'here');
      workspace = await box.prepared(repository);
      tree = box.tree(workspace);
      tree.write({ 'here/new.txt': 'new\n' });
      tree.commit('ours');
      expect((await box.host.standing(workspace))[0]).toMatchObject({ uncommitted: false, ahead: 1 });
      const { from, to } = await make();
      const before = userCheckout(repository);
      expect(await land(from, to)).toMatchObject({ outcome: 'checked_out', checkout: { clean: true } });
      expect(userCheckout(repository)).toEqual(before);
      expect(await land(from, to, true)).toEqual({ outcome: 'landed' });
      expect(existsSync(path.join(repository.dir, 'here/new.txt'))).toBe(true);
      expect(existsSync(path.join(repository.dir, 'away'))).toBe(false);
      expect(repository.git('status', '--porcelain')).toBe('');
      expect(repository.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toContain('away/b.txt');
    });

    it('sees a user in the midst of a rebase of it', async () => {
      const { from, to } = await make();
      repository.write({ 'a.txt': 'mine\n' });
      repository.commit('mine');
      repository.git('branch', '--quiet', 'fork', 'HEAD^');
      repository.git('checkout', '--quiet', 'fork');
      repository.write({ 'a.txt': 'forked\n' });
      repository.commit('forked');
      expect(() => repository.git('rebase', 'fork', 'main')).toThrow();
      expect(await land(main(), to)).toEqual({
        outcome: 'checked_out',
        checkout: { worktree: repository.dir, clean: false },
      });
      expect(from).not.toBe(main());
    });
  });

  it('puts the branch on what has landed, unless uncommitted work stands in the way', async () => {
    const { to } = await make();
    tree.write({ 'later.txt': 'uncommitted\n' });
    expect(await box.host.anchor(workspace, 'app', to)).toBe(to);
    expect(tree.git('status', '--porcelain')).toBe('?? later.txt');
    expect(await box.host.targetTip(workspace, 'app', to)).toMatchObject({ holds: false });
  });
});
