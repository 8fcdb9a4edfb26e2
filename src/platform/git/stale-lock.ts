import { lstat, readFile, readdir, readlink, rm } from 'node:fs/promises';
import path from 'node:path';

const LOCKS = ['index.lock', 'HEAD.lock'];
// Where the system cannot tell who works in a folder, age has to.
const OLD_MS = 10 * 60_000;

/** Removes the locks that a killed git left in the git dir of one worktree.
 *  Rule: the caller knows that nobody is meant to work in the worktree now, and no git process has it as its folder. */
export async function removeStaleLocks(gitDir: string, worktree: string): Promise<void> {
  for (const name of LOCKS) {
    const file = path.join(gitDir, name);
    const lock = await lstat(file).catch(() => null);
    if (lock !== null && !(await isHeld(worktree, lock.mtimeMs))) await rm(file, { force: true });
  }
}

async function isHeld(worktree: string, lockedAt: number): Promise<boolean> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (processes.length === 0) return Date.now() - lockedAt < OLD_MS;
  return (await Promise.all(processes.map((pid) => isGitIn(pid, worktree)))).includes(true);
}

async function isGitIn(pid: string, worktree: string): Promise<boolean> {
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  if (folder !== worktree && !folder.startsWith(`${worktree}/`)) return false;
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).startsWith('git');
}
