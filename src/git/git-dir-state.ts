/** The state of a worktree: the operation in progress, and stale locks. */
import { lstat, readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from './if-there.js';

export type OperationKind = 'merge' | 'rebase' | 'cherry_pick' | 'revert' | 'bisect';

/** An operation in progress in a worktree. */
export interface Operation {
  kind: OperationKind;
  /** What is brought in: the other side of a merge, the new base of a rebase; null if git does not say. */
  onto: string | null;
  /** The commit that is being replayed, and the progress. */
  step: { done: number; total: number; commit: string } | null;
}

const LOCKS = ['index.lock', 'HEAD.lock'];
// Age decides on systems that cannot tell which processes work in a folder.
const OLD_MS = 10 * 60_000;

/** Removes the locks that a killed git left in the git dir of a worktree. The caller knows that nobody is meant to work
 *  there, and no git process has it as working folder. */
export async function removeStaleLocks(gitDir: string, worktree: string): Promise<void> {
  for (const name of LOCKS) {
    const file = path.join(gitDir, name);
    const lock = await ifThere(lstat(file));
    if (lock !== null && !(await isHeld(worktree, lock.mtimeMs))) await rm(file, { force: true });
  }
}

async function isHeld(worktree: string, lockedAt: number): Promise<boolean> {
  const processes = ((await ifThere(readdir('/proc'))) ?? []).filter((name) => /^\d+$/.test(name));
  if (processes.length === 0) return Date.now() - lockedAt < OLD_MS;
  return (await Promise.all(processes.map((pid) => isGitIn(pid, worktree)))).includes(true);
}

async function isGitIn(pid: string, worktree: string): Promise<boolean> {
  const folder = (await ifThere(readlink(`/proc/${pid}/cwd`))) ?? '';
  if (folder !== worktree && !folder.startsWith(`${worktree}/`)) return false;
  return ((await ifThere(readFile(`/proc/${pid}/comm`, 'utf8'))) ?? '').startsWith('git');
}
