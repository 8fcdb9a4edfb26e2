import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { RepoStanding } from './delivery-host.js';
import type { Workspace } from './workspace-host.js';

describe('taking the target into the branch', () => {
  let box: WorkspaceSandbox;
  let repository: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;
  let before: ReturnType<typeof userCheckout>;

  beforeEach(async () => {
    box = new WorkspaceSandbox();
    repository = box.repository('app', { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
    workspace = await box.prepared(repository);
    tree = box.tree(workspace);
    tree.write({ 'a.txt': 'one\nzwei\nthree\n' });
    tree.commit('ours');
  });
  afterEach(() => {
    expect(userCheckout(repository)).toEqual(before);
    box.remove();
  });

  /** The user commits these files to main. */
  const theirs = (files: Record<string, string | Buffer>): string => {
    repository.write(files);
    const commit = repository.commit('theirs');
    before = userCheckout(repository);
    return commit;
  };
  const conflicting = () => theirs({ 'a.txt': 'one\nTWO\nthree\n' });
  const start = (method: 'merge' | 'rebase' = 'merge') =>
    box.host.updateBranch(workspace, { repo_name: 'app', method, message: 'Work' });
  const goOn = (onto: string | null = null) => box.host.continueUpdate(workspace, { repo_name: 'app', onto });
  const abort = () => box.host.abortUpdate(workspace, 'app');
  const resolve = () => {
    tree.write({ 'a.txt': 'one\nzwei, two\nthree\n' });
    tree.git('add', 'a.txt');
  };

  it('does nothing where the target has nothing new', async () => {
    before = userCheckout(repository);
    const head = tree.head;
    expect(await start()).toMatchObject({ outcome: 'up_to_date', head });
    expect(tree.head).toBe(head);
  });

  it.each(['merge', 'rebase'] as const)('takes it in by %s', async (method) => {
    const onto = theirs({ 'b.txt': 'B\n' });
    expect(await start(method)).toMatchObject({ outcome: 'updated', head: tree.head, onto, conflict: null });
    expect(tree.git('log', '-1', '--format=%P').split(' ')).toHaveLength(method === 'merge' ? 2 : 1);
    expect(tree.git('status', '--porcelain')).toBe('');
    expect(tree.git('branch', '--show-current')).toBe(workspace.branch);
  });

  it.each(['merge', 'rebase'] as const)('leaves a conflict of a %s standing, and completes it', async (method) => {
    const onto = conflicting();
    const { outcome, conflict } = await start(method);
    expect(outcome).toBe('conflict');
    expect(conflict).toMatchObject({ operation: method, file_count: 1, truncated: false, target: { commit: onto } });
    expect(conflict!.files[0]).toMatchObject({
      path: 'app/a.txt',
      kind: 'content',
      ours: 'modified',
      theirs: 'modified',
      resolved: false,
      has_markers: true,
    });
    expect((await box.host.standing(workspace))[0]).toMatchObject({
      preview: null,
      operation: { onto, unresolved: 1 },
    });
    await expect(start()).rejects.toMatchObject({ code: 'operation_in_progress' });
    await expect(goOn()).rejects.toMatchObject({ code: 'conflicts_unresolved', details: { files: ['app/a.txt'] } });
    tree.git('add', 'a.txt');
    await expect(goOn()).rejects.toMatchObject({ code: 'conflicts_unresolved', details: { markers: ['app/a.txt'] } });
    resolve();
    expect((await box.host.standing(workspace))[0]).toMatchObject({ operation: { unresolved: 0 } });
    expect(await goOn()).toMatchObject({ outcome: 'updated', onto, head: tree.head });
    expect((await box.host.standing(workspace))[0]).toMatchObject({ behind: 0, operation: null });
    await expect(goOn()).rejects.toMatchObject({ code: 'no_operation' });
  });

  it.each(['merge', 'rebase'] as const)('says of what kind each conflict of a %s is', async (method) => {
    const lines = (last: string) => `${Array.from({ length: 20 }, (_, at) => at).join('\n')}\n${last}`;
    const changes = (mark: string) => ({ 'image.bin': Buffer.from(`\0${mark}`), [`${mark}.txt`]: lines(mark) });
    theirs({ 'image.bin': Buffer.from('\0'), 'text.txt': lines('') });
    await start('rebase');
    tree.git('rm', '--quiet', 'text.txt');
    tree.write({ ...changes('ours'), lane: 'a file' });
    tree.commit('ours too');
    repository.git('rm', '--quiet', 'text.txt');
    theirs({ ...changes('theirs'), 'lane/file.txt': 'in a folder' });
    const { conflict } = await start(method);
    expect(conflict!.files.map(({ path, kind, resolved }) => ({ path, kind, resolved }))).toEqual([
      { path: 'app/image.bin', kind: 'binary', resolved: false },
      { path: 'app/lane', kind: 'file_directory', resolved: false },
      { path: 'app/text.txt', kind: 'rename_rename', resolved: false },
    ]);
    expect(conflict!.files[1]!.other_paths).toEqual([expect.stringMatching(/^app\/lane~/)]);
    tree.git('rm', '--quiet', '-r', '--cached', '.');
    tree.git('add', '--all');
    const [{ operation }] = (await box.host.standing(workspace)) as [RepoStanding];
    expect(operation).toMatchObject({ unresolved: 0 });
    await abort();
  });

  it.each(['merge', 'rebase'] as const)('gives a %s up, whatever was resolved', async (method) => {
    const head = tree.head;
    conflicting();
    await start(method);
    resolve();
    tree.write({ 'a.txt': 'changed after it was staged\n' });
    expect(await abort()).toMatchObject({ head });
    expect(tree.git('status', '--porcelain')).toBe('');
    expect({ head: tree.head, branch: tree.git('branch', '--show-current') }).toEqual({
      head,
      branch: workspace.branch,
    });
    await expect(abort()).rejects.toMatchObject({ code: 'no_operation' });
  });

  it('counts an update that the agent completed by its own commit, but not its markers', async () => {
    const onto = conflicting();
    const { conflict } = await start();
    expect(conflict!.finish).toBe('git add -A && git commit --no-edit');
    tree.git('add', '-A');
    tree.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--no-edit');
    await expect(goOn(onto)).rejects.toMatchObject({ code: 'conflicts_unresolved' });
    resolve();
    tree.commit('without markers');
    expect(await goOn(onto)).toMatchObject({ outcome: 'updated', onto });
  });

  it('commits uncommitted work first', async () => {
    theirs({ 'theirs.txt': 'theirs\n' });
    tree.write({ 'b.txt': 'unfinished\n' });
    expect(await start()).toMatchObject({ outcome: 'updated', conflict: null });
    expect(tree.git('status', '--porcelain')).toBe('');
    expect(tree.git('log', '--format=%s', '-2', 'HEAD^')).toContain('Work');
    expect(tree.git('show', 'HEAD:theirs.txt', 'HEAD:b.txt')).toBe('theirs\nunfinished');
  });

  it('refuses a target that is gone, another history, and a worktree off its branch', async () => {
    conflicting();
    tree.git('checkout', '--quiet', '--detach');
    await expect(start()).rejects.toMatchObject({ code: 'branch_left' });
    tree.git('checkout', '--quiet', workspace.branch);
    const update = (target_branch: string) =>
      box.host.updateBranch(workspace, { repo_name: 'app', method: 'merge', target_branch, message: 'Work' });
    await expect(update('nowhere')).rejects.toMatchObject({ code: 'branch_unknown', details: { repo_name: 'app' } });
    const root = repository.git('commit-tree', '-m', 'another root', `${repository.head}^{tree}`);
    repository.git('branch', 'stranger', root);
    await expect(update('stranger')).rejects.toMatchObject({ code: 'unrelated_histories' });
  });

  it('does not take a line of equal signs for a marker', async () => {
    const onto = theirs({ 'a.txt': 'one\nTWO\nthree\n', 'title.rst': 'Heading\n=======\n' });
    await start();
    resolve();
    expect(await goOn()).toMatchObject({ outcome: 'updated', onto });
  });
});
