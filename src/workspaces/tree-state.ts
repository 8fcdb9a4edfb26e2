import type { Git } from '../platform/git/git.js';
import { removeStaleLocks } from '../platform/git/stale-lock.js';
import { locationEnvironment } from '../platform/git/worktree-pointer.js';
import { filledSubmodules } from './stage-work.js';
import type { TreePlace } from './trees.js';

/** git must not look into a submodule, where an agent may have left a configuration that runs programs; so one that
 *  holds files counts as work. @throws GitError */
export async function hasUncommittedWork(git: Git, tree: TreePlace): Promise<boolean> {
  const status = ['status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=dirty'];
  const [isChanged, filled] = await Promise.all([
    saysAnything(git, tree, status),
    filledSubmodules(git, tree.dir, locationEnvironment(tree)),
  ]);
  return isChanged || filled.length > 0;
}

/** A merge is not settled. @throws GitError */
export function hasConflicts(git: Git, tree: TreePlace): Promise<boolean> {
  return saysAnything(git, tree, ['ls-files', '--unmerged', '-z']);
}

async function saysAnything(git: Git, tree: TreePlace, args: readonly string[]): Promise<boolean> {
  const options = { env: locationEnvironment(tree), maxBytes: 1024, cut: true };
  const { stdout, cut } = await git.run(tree.dir, args, options);
  return cut || stdout.length > 0;
}

/** Makes later reads quicker: git compares the contents of files as young as its index on each call, until the index is
 *  written anew. A failure costs no more than that time, so it is ignored. */
export async function refreshTree(git: Git, tree: TreePlace): Promise<void> {
  await removeStaleLocks(tree.gitDir, tree.dir);
  const options = { env: locationEnvironment(tree), accept: [0, 1] };
  await git.run(tree.dir, ['update-index', '-q', '--refresh'], options).catch(() => undefined);
}
