import { parseNames } from '../platform/git/diff-records.js';
import type { Git } from '../platform/git/git.js';
import { locationEnvironment } from '../platform/git/worktree-pointer.js';
import { ADD_TIMEOUT_MS, stageWork } from './stage-work.js';
import { hasConflicts } from './tree-state.js';
import type { TreePlace } from './trees.js';

type Env = Readonly<Record<string, string>>;

/** Commits what a worktree holds to the branch of its attempt, without hooks and signatures of the user. Repositories
 *  inside it stay as they are.
 *  @returns the commit; null where there is nothing to commit, where HEAD has left the branch,
 *  or where a merge is not settled. @throws GitError */
export async function commitWork(git: Git, branch: string, tree: TreePlace, message: string): Promise<string | null> {
  const { dir } = tree;
  const env = locationEnvironment(tree);
  if (!(await isOnBranch(git, branch, dir, env)) || (await hasConflicts(git, tree))) return null;
  await stageWork(git, dir, env, await nestedRepositories(git, dir, env));
  const { exitCode } = await git.run(dir, ['diff', '--cached', '--quiet', '--no-ext-diff', '--no-textconv'], {
    env,
    accept: [0, 1],
  });
  if (exitCode === 0) return null;
  await git.run(
    dir,
    ['-c', 'commit.gpgSign=false', 'commit', '--quiet', '--no-verify', '--cleanup=verbatim', '--file=-'],
    { env, input: message, timeoutMs: ADD_TIMEOUT_MS },
  );
  return git.text(dir, ['rev-parse', 'HEAD'], { env });
}

/** Unlike for symbolicRef, what is no repository any more is an error here. */
async function isOnBranch(git: Git, branch: string, dir: string, env: Env): Promise<boolean> {
  return (await git.text(dir, ['symbolic-ref', '--quiet', 'HEAD'], { env, accept: [0, 1] })) === `refs/heads/${branch}`;
}

/** git would record them as bare links, and their files would be seen no more. */
export async function nestedRepositories(git: Git, dir: string, env: Env): Promise<string[]> {
  const { stdout } = await git.run(dir, ['ls-files', '--others', '-z', '--exclude-standard'], { env });
  return parseNames(stdout)
    .filter((name) => name.endsWith('/'))
    .map((name) => name.slice(0, -1));
}
