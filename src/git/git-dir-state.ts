/** What the git dir of a worktree says: the operation in progress, and stale locks. */
import { lstat, readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { exists, ifThere } from './if-there.js';

export type OperationKind = 'merge' | 'rebase' | 'cherry_pick' | 'revert' | 'bisect';

/** An operation in progress in a worktree. */
export interface Operation {
  kind: OperationKind;
  /** What is brought in: the other side of a merge, the new base of a rebase; null if git does not say. */
  onto: string | null;
  /** The commit that is being replayed, and the progress. */
  step: { done: number; total: number; commit: string } | null;
}

const MARKS: readonly [file: string, kind: OperationKind][] = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry_pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** Read from git's own state files, so it is right after a crash, whoever began the operation.
 *  @param gitDir of the worktree */
export async function operationOf(gitDir: string): Promise<Operation | null> {
  const read = async (name: string): Promise<string | null> =>
    (await ifThere(readFile(path.join(gitDir, name), 'utf8')))?.trim() ?? null;
  for (const folder of ['rebase-merge', 'rebase-apply'])
    if (await exists(path.join(gitDir, folder))) return rebase(read, folder);
  for (const [file, kind] of MARKS) {
    const mark = await read(file);
    if (mark !== null) return { kind, onto: kind === 'merge' ? firstId(mark) : null, step: null };
  }
  return null;
}

async function rebase(read: (name: string) => Promise<string | null>, folder: string): Promise<Operation> {
  const [onto, done, total, stopped] = await Promise.all(
    ['onto', 'msgnum', 'end', 'stopped-sha'].map((name) => read(`${folder}/${name}`)),
  );
  const commit = firstId((await read('REBASE_HEAD')) ?? stopped ?? '');
  const step = commit === null ? null : { done: Number(done ?? 0), total: Number(total ?? 0), commit };
  return { kind: 'rebase', onto: firstId(onto ?? ''), step };
}

const firstId = (text: string): string | null => /^[0-9a-f]{7,64}/.exec(text)?.[0] ?? null;

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
