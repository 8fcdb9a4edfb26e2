import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { SmallDisk } from '../../test/support/small-disk.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Workspace } from './workspace-host.js';
import { onlyWith } from '../../test/support/machine.js';

const MEGABYTE = 1024 * 1024;

onlyWith('mount').describe('a delivery on a full disk', () => {
  let disk: SmallDisk;
  let box: WorkspaceSandbox;
  let repository: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;

  beforeEach(async () => {
    disk = new SmallDisk(8 * MEGABYTE);
    box = new WorkspaceSandbox({ dataDir: path.join(disk.dir, 'data') });
    repository = new GitRepository(path.join(disk.dir, 'app'));
    repository.init();
    repository.write({ 'a.txt': 'one\n', 'b/b.txt': 'b\n' });
    repository.commit('first');
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    workspace = await box.prepared(repository);
    tree = box.tree(workspace);
    tree.write({ 'new.txt': 'new\n' });
    tree.commit('ours');
    const other = new GitRepository(box.path('other'));
    repository.git('worktree', 'add', '--quiet', other.dir, 'main');
    other.write({ 'b/b.txt': 'B\n' });
    other.commit('theirs');
    repository.git('worktree', 'remove', '--force', other.dir);
  });
  afterEach(() => {
    box.remove();
    disk.remove();
  });

  const filler = () => path.join(disk.dir, 'filler');
  const fill = () => {
    const { bavail, bsize } = statfsSync(disk.dir);
    writeFileSync(filler(), Buffer.alloc(bavail * bsize));
  };
  const empty = () => rmSync(filler());
  const code = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (answer) => answer,
      (error: { code?: string }) => error.code,
    );

  /** What git could not even take back stands where everybody sees it. */
  const giveUp = async (): Promise<void> => {
    const [found] = await box.host.standing(workspace);
    if (found!.operation !== null) await box.host.abortUpdate(workspace, 'app');
  };

  it('is refused at each command, moves nothing, and goes on once there is room', async () => {
    const [main, head] = [repository.git('rev-parse', 'main'), tree.head];
    const before = userCheckout(repository);
    const full = async (work: () => Promise<unknown>): Promise<unknown> => {
      fill();
      const answer = await code(work());
      empty();
      await giveUp();
      expect([repository.git('rev-parse', 'main'), tree.head]).toEqual([main, head]);
      expect(tree.git('status', '--porcelain')).toBe('');
      return answer;
    };
    expect(await full(() => box.host.standing(workspace))).toBe('storage_full');
    const [found] = await box.host.standing(workspace);
    const source = { source_commit: found!.head, target_commit: found!.target!.commit };
    const work = { repo_name: 'app', message: 'Add it\n', tree: found!.preview!.tree!, ...source };
    for (const strategy of ['squash', 'merge', 'rebase'] as const)
      expect(await full(() => box.host.makeLanding(workspace, { ...work, strategy }))).toBe('storage_full');
    const to = await box.host.makeLanding(workspace, { ...work, strategy: 'squash' });
    const move = { repo_name: 'app', from: main, to, with_checkout: false };
    expect(await full(() => box.host.land(workspace, move))).toBe('storage_full');
    for (const method of ['merge', 'rebase'] as const)
      expect(await full(() => box.host.updateBranch(workspace, { repo_name: 'app', method, message: 'Work' }))).toBe(
        'storage_full',
      );
    expect(await box.host.land(workspace, move)).toEqual({ outcome: 'landed' });
    expect(userCheckout(repository)).toEqual(before);
  });

  it('does not commit what does not fit, and loses none of it', async () => {
    tree.write({ 'more.txt': 'more\n' });
    const { head } = tree;
    fill();
    expect(await code(box.host.commit(workspace, 'work'))).toBe('storage_full');
    empty();
    expect([tree.head, tree.git('status', '--porcelain')]).toEqual([head, '?? more.txt']);
    await box.host.commit(workspace, 'work');
    expect(tree.git('show', 'HEAD:more.txt')).toBe('more');
  });
});
