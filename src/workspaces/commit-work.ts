import { parseNames, textOf } from '../platform/git/diff-records.js';
import type { Git } from '../platform/git/git.js';
import { ADD_TIMEOUT_MS } from './save-work.js';
import { hasConflicts } from './tree-state.js';
import type { TreePlace } from './trees.js';

/** Commits what a worktree holds to the branch of its attempt, without hooks and signatures of the user. Repositories
 *  inside it stay as they are.
 *  @returns the commit; null where there is nothing to commit, where HEAD has left the branch,
 *  or where a merge is not settled. @throws GitError */
export async function commitWork(git: Git, branch: string, tree: TreePlace, message: string): Promise<string | null> {
  const { dir } = tree;
  if (!(await isOnBranch(git, branch, dir)) || (await hasConflicts(git, tree))) return null;
  const nested = await nestedRepositories(git, dir);
  await git.run(dir, ['add', '--all'], { timeoutMs: ADD_TIMEOUT_MS });
  if (nested.length > 0)
    await git.run(dir, ['rm', '--cached', '--quiet', '--force', '--ignore-unmatch', '--', ...nested]);
  const { exitCode } = await git.run(dir, ['diff', '--cached', '--quiet', '--no-ext-diff', '--no-textconv'], {
    accept: [0, 1],
  });
  if (exitCode === 0) return null;
  await git.run(
    dir,
    ['-c', 'commit.gpgSign=false', 'commit', '--quiet', '--no-verify', '--cleanup=verbatim', '--file=-'],
    { input: message, timeoutMs: ADD_TIMEOUT_MS },
  );
  return git.text(dir, ['rev-parse', 'HEAD']);
}

/** Unlike for symbolicRef, what is no repository any more is an error here. */
async function isOnBranch(git: Git, branch: string, dir: string): Promise<boolean> {
  return (await git.text(dir, ['symbolic-ref', '--quiet', 'HEAD'], { accept: [0, 1] })) === `refs/heads/${branch}`;
}

/** git would record them as bare links, and their files would be seen no more. */
async function nestedRepositories(git: Git, dir: string): Promise<string[]> {
  const { stdout } = await git.run(dir, ['ls-files', '--others', '-z', '--exclude-standard']);
  return parseNames(stdout)
    .filter((name) => name.endsWith('/'))
    .map((name) => textOf(name.slice(0, -1)));
}
