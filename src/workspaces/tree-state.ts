import type { Git } from '../platform/git/git.js';
import { removeStaleLocks } from '../platform/git/stale-lock.js';
import type { TreePlace } from './trees.js';

/** @throws GitError */
export function hasUncommittedWork(git: Git, { dir }: TreePlace): Promise<boolean> {
  return saysAnything(git, dir, ['status', '--porcelain', '-z', '--untracked-files=normal']);
}

/** A merge is not settled. @throws GitError */
export function hasConflicts(git: Git, { dir }: TreePlace): Promise<boolean> {
  return saysAnything(git, dir, ['ls-files', '--unmerged', '-z']);
}

async function saysAnything(git: Git, dir: string, args: readonly string[]): Promise<boolean> {
  const { stdout, cut } = await git.run(dir, args, { maxBytes: 1024, cut: true });
  return cut || stdout.length > 0;
}

/** Makes later reads quicker: git compares the contents of files as young as its index on each call, until the index is
 *  written anew. A failure costs no more than that time, so it is ignored. */
export async function refreshTree(git: Git, { dir, gitDir }: TreePlace): Promise<void> {
  await removeStaleLocks(gitDir, dir);
  await git.run(dir, ['update-index', '-q', '--refresh'], { accept: [0, 1] }).catch(() => undefined);
}
