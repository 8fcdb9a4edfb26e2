import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { GitError } from './git-error.js';
import type { Git } from './git.js';
import { exists, ifThere } from './if-there.js';
import { locationEnvironment, type WorktreeLocation } from './worktree-pointer.js';

const FILL_TIMEOUT_MS = 15 * 60_000;

/** The folder that all worktrees of a repository share, which identifies the repository. @throws GitError */
export async function commonDirOf(git: Git, repository: string): Promise<string> {
  return (
    (await ownGitDir(repository)) ?? git.text(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir'])
  );
}

/** The usual cases, a `.git` folder or a bare repository, recognised without starting git. */
async function ownGitDir(repository: string): Promise<string | null> {
  const root = await ifThere(realpath(repository));
  if (root === null) return null;
  const entry = await ifThere(lstat(path.join(root, '.git')));
  if (entry !== null && !entry.isDirectory()) return null;
  const folder = entry === null ? root : path.join(root, '.git');
  const [head, ...parts] = await Promise.all([
    ifThere(readFile(path.join(folder, 'HEAD'), 'utf8')),
    exists(path.join(folder, 'objects')),
    exists(path.join(folder, 'refs')),
  ]);
  return /^(ref: refs\/|[0-9a-f]{40})/.test(head ?? '') && parts.every(Boolean) ? folder : null;
}

/** Registers a worktree without files, in about 10 ms. Call it under the lock of the repository.
 *  @param start commit of a new branch; null takes the branch that exists. @throws GitError */
export async function addWorktree(
  git: Git,
  repository: string,
  dir: string,
  branch: string,
  start: string | null,
): Promise<void> {
  const what = start === null ? [dir, branch] : ['-b', branch, dir, start];
  const add = (more: readonly string[] = []) =>
    git.run(repository, [
      'worktree',
      'add',
      ...more,
      '--quiet',
      '--no-checkout',
      ...(start === null ? [] : ['--no-track']),
      ...what,
    ]);
  try {
    await add();
  } catch (error) {
    const isTaken =
      error instanceof GitError &&
      error.says(/already registered worktree|already checked out|already used by worktree/);
    if (!isTaken) throw error;
    if (await forgetMissing(git, repository, dir, branch)) return void (await add());
    if (!(await isOfSameAttempt(git, repository, dir, branch))) throw error;
    await add(['--force']);
  }
}

/** Drops git's record of a worktree whose folder is gone; true if there was one. Not `worktree prune`, which would also
 *  forget the user's worktrees on a disk that is not mounted. */
async function forgetMissing(git: Git, repository: string, dir: string, branch: string): Promise<boolean> {
  const missing: string[] = [];
  for (const fields of await worktreesOf(git, repository)) {
    const folder = folderOf(fields);
    if (folder === undefined || (await exists(folder))) continue;
    if (folder === dir || fields.includes(`branch refs/heads/${branch}`)) missing.push(folder);
  }
  for (const folder of missing) await forgetWorktree(git, repository, folder);
  return missing.length > 0;
}

/** If runners share a repository, the branch is still checked out in the attempt's previous home: a folder of the same
 *  name below another DATA_DIR. */
async function isOfSameAttempt(git: Git, repository: string, dir: string, branch: string): Promise<boolean> {
  const own = dir.split(path.sep).slice(-3).join(path.sep);
  const worktrees = await worktreesOf(git, repository);
  const holders = worktrees.filter((fields) => fields.includes(`branch refs/heads/${branch}`)).map(folderOf);
  return holders.length > 0 && holders.every((folder) => folder?.endsWith(`${path.sep}${own}`));
}

/** Fields of each worktree that git knows of a repository. */
const worktreesOf = async (git: Git, repository: string): Promise<string[][]> =>
  (await git.text(repository, ['worktree', 'list', '--porcelain', '-z'])).split('\0\0').map((one) => one.split('\0'));
const folderOf = (fields: readonly string[]): string | undefined =>
  fields.find((field) => field.startsWith('worktree '))?.slice('worktree '.length);

/** Drops the record of a worktree whose folder has been removed. Does nothing while something is there, because git
 *  would remove that too, even through a link. @throws GitError */
export async function forgetWorktree(git: Git, repository: string, dir: string): Promise<void> {
  if (await exists(dir)) return;
  try {
    await git.run(repository, ['worktree', 'remove', '--force', '--force', dir]);
  } catch (error) {
    // There is no record of it to drop.
    if (!(error instanceof GitError) || !error.says(/is not a working tree/)) throw error;
  }
}

/** True once the tree was checked out: git writes the index last. */
export function isFilled(gitDir: string): Promise<boolean> {
  return exists(path.join(gitDir, 'index'));
}

/** Checks out HEAD over the remains of an interrupted try. Only for a tree that was never filled.
 *  @throws GitError */
export async function fillWorktree(git: Git, location: WorktreeLocation): Promise<void> {
  const env = locationEnvironment(location);
  await git.run(location.dir, ['reset', '--hard', '--quiet'], { env, timeoutMs: FILL_TIMEOUT_MS });
}
