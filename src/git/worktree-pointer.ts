import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, ifThere } from './if-there.js';

/** A worktree and its two git dirs. */
export interface WorktreeLocation {
  dir: string;
  gitDir: string;
  common: string;
}

/** Passes all three to git, so that it ignores what an agent writes into `.git`, `commondir` or `core.worktree`. */
export const locationEnvironment = ({ dir, gitDir, common }: WorktreeLocation): Record<string, string> => ({
  GIT_DIR: gitDir,
  GIT_COMMON_DIR: common,
  GIT_WORK_TREE: dir,
});

/** Git dir of a linked worktree of this repository, or null if `pointerFault` finds a fault. */
export async function worktreeGitDir(dir: string, common: string): Promise<string | null> {
  const gitDir = await pointedGitDir(dir);
  return gitDir !== null && (await linkFault(dir, gitDir, common)) === null ? gitDir : null;
}

/** What is wrong with the `.git` file of a worktree or its target; null if it is as git made it. */
export async function pointerFault(dir: string, common: string): Promise<string | null> {
  const gitDir = await pointedGitDir(dir);
  return gitDir === null ? 'its .git file is gone or damaged' : linkFault(dir, gitDir, common);
}

/** Where the `.git` file says that the git dir is. */
export async function pointedGitDir(dir: string): Promise<string | null> {
  return readPath(path.join(dir, '.git'), /^gitdir: (.+)\n?$/, dir);
}

async function linkFault(dir: string, gitDir: string, common: string): Promise<string | null> {
  if (path.dirname(gitDir) !== path.join(common, 'worktrees')) return 'its .git file leads to another repository';
  if (!(await exists(path.join(gitDir, 'HEAD')))) return 'its repository no longer knows it';
  const [back, shared] = await Promise.all([
    readPath(path.join(gitDir, 'gitdir'), /^(.+)\n?$/, gitDir),
    readPath(path.join(gitDir, 'commondir'), /^(.+)\n?$/, gitDir),
  ]);
  if (back !== path.join(dir, '.git')) return 'its .git file leads to another worktree';
  return shared === common ? null : 'the commondir file of its git folder was changed';
}

/** The path that a file of ours holds; null for anything but such a file. */
async function readPath(file: string, form: RegExp, base: string): Promise<string | null> {
  if (!(await ifThere(lstat(file)))?.isFile()) return null;
  const found = form.exec((await ifThere(readFile(file, 'utf8'))) ?? '')?.[1];
  return found === undefined ? null : path.resolve(base, found);
}
