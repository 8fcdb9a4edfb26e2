import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../platform/errors/app-error.js';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { branchCommit, listBranches, symbolicRef } from '../git/refs.js';
import type { RepositoryFacts } from './workspace-host.js';

/** @throws AppError repo_invalid with the reason */
export async function inspectRepository(git: Git, folder: string): Promise<RepositoryFacts> {
  if (!path.isAbsolute(folder) || folder.includes('\0')) throw invalid('the path must be absolute');
  if (!(await ifThere(stat(folder)))?.isDirectory()) throw invalid(`the folder ${folder} does not exist`);
  const root = await rootOf(git, folder);
  if (root.includes('\n')) throw invalid('its path has a line break, which a list of lent objects cannot name');
  if (await lacksObjects(git, root)) throw invalid('it is a partial clone, whose missing objects nobody could lend');
  const default_branch = await defaultBranch(git, root);
  if (default_branch === null) throw invalid('it has no commit on a branch yet');
  return { root, default_branch };
}

/** Root of the checkout that the folder lies in; a bare repository is its own root. */
async function rootOf(git: Git, folder: string): Promise<string> {
  try {
    const facts = await git.text(
      folder,
      ['rev-parse', '--path-format=absolute', '--is-inside-work-tree', '--is-bare-repository', '--git-common-dir'],
      { discover: true },
    );
    const [isInside, isBare, ...commonDir] = facts.split('\n');
    if (isInside === 'true')
      return await git.text(folder, ['rev-parse', '--path-format=absolute', '--show-toplevel'], { discover: true });
    const shared = commonDir.join('\n');
    return isBare === 'true' ? shared : path.dirname(shared);
  } catch (error) {
    if (error instanceof GitError && error.says(/not a git repository/i)) throw invalid('it is not a git repository');
    throw error;
  }
}

/** Whether it was told that its remote keeps objects for it. */
async function lacksObjects(git: Git, root: string): Promise<boolean> {
  const args = ['config', '--name-only', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'];
  return (await git.text(root, args, { accept: [0, 1], readsNoFiles: true })) !== '';
}

/** The branch that is checked out; on a detached HEAD origin's default; else the first one. */
async function defaultBranch(git: Git, root: string): Promise<string | null> {
  for (const pointer of ['HEAD', 'refs/remotes/origin/HEAD']) {
    const name = (await symbolicRef(git, root, pointer))?.replace(/^refs\/(heads|remotes\/origin)\//, '');
    if (name !== undefined && (await branchCommit(git, root, name)) !== null) return name;
  }
  return (await listBranches(git, root, 1))[0] ?? null;
}

export function invalid(reason: string): AppError {
  return new AppError('repo_invalid', { reason });
}
