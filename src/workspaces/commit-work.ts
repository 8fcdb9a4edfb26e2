/** The work that a worktree holds: whether there is any, staged, and committed. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bytePath, parseNames } from '../git/diff-records.js';
import { removeStaleLocks } from '../git/git-dir-state.js';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { locationEnvironment } from '../git/worktree-pointer.js';
import type { TreePlace } from './trees.js';

type Env = Readonly<Record<string, string>>;

const ADD_TIMEOUT_MS = 15 * 60_000;

/** Adds all files to the index. `git add` would run git inside submodules, where an agent may have left a configuration
 *  that runs programs; so their commits are recorded without it.
 *  @param omitted folders to leave alone, as byte strings. @throws GitError */
export async function stageWork(git: Git, dir: string, env: Env, omitted: readonly string[] = []): Promise<void> {
  const filled = await filledSubmodules(git, dir, env);
  const paths = ['.', ...[...omitted, ...filled].map((name) => `:(exclude,literal)${name}`)];
  await git.run(dir, ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    env: { ...env, GIT_LITERAL_PATHSPECS: '0' },
    input: nulEnded(paths),
    timeoutMs: ADD_TIMEOUT_MS,
  });
  if (filled.length > 0) await git.run(dir, ['update-index', '-z', '--stdin'], { env, input: nulEnded(filled) });
}

/** Submodules whose folder holds anything, as byte strings. @throws GitError */
async function filledSubmodules(git: Git, dir: string, env: Env): Promise<string[]> {
  if (!(await mayHaveSubmodules(env))) return [];
  const entries = parseNames((await git.run(dir, ['ls-files', '--stage', '-z'], { env })).stdout);
  const names = entries.flatMap((entry) => /^160000 [^\t]+\t([^]+)$/.exec(entry)?.[1] ?? []);
  const contents = await Promise.all(names.map((name) => ifThere(readdir(bytePath(dir, name)))));
  return names.filter((_, at) => (contents[at]?.length ?? 0) > 0);
}

// The mode of a submodule in an index file, and the signatures of split and sparse indexes, which do not list every
// entry.
const SUBMODULE_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
const PARTIAL_INDEX = [Buffer.from('link'), Buffer.from('sdir')];

/** Most repositories have none, and having git list every file to learn that costs as much as a status. */
async function mayHaveSubmodules({ GIT_INDEX_FILE, GIT_DIR }: Env): Promise<boolean> {
  const file = GIT_INDEX_FILE ?? (GIT_DIR === undefined ? undefined : path.join(GIT_DIR, 'index'));
  if (file === undefined) return true;
  const index = await ifThere(readFile(file));
  return index !== null && [SUBMODULE_MODE, ...PARTIAL_INDEX].some((mark) => index.includes(mark));
}

const nulEnded = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');

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

/** Whether a merge has unresolved conflicts. @throws GitError */
function hasConflicts(git: Git, tree: TreePlace): Promise<boolean> {
  return saysAnything(git, tree, ['ls-files', '--unmerged', '-z']);
}

async function saysAnything(git: Git, tree: TreePlace, args: readonly string[]): Promise<boolean> {
  const options = { env: locationEnvironment(tree), maxBytes: 1024, cut: true };
  const { stdout, cut } = await git.run(tree.dir, args, options);
  return cut || stdout.length > 0;
}

/** Rewrites the index to make later reads faster: git rereads files as new as the index on each call. Failures are
 *  ignored, because they only cost time. */
export async function refreshTree(git: Git, tree: TreePlace): Promise<void> {
  await removeStaleLocks(tree.gitDir, tree.dir);
  const options = { env: locationEnvironment(tree), accept: [0, 1] };
  await git.run(tree.dir, ['update-index', '-q', '--refresh'], options).catch(() => undefined);
}

/** Commits what a worktree holds to the branch of its attempt, without hooks and signatures of the user. Repositories
 *  inside it stay as they are.
 *  @returns the commit; null if there is nothing to commit, HEAD has left the branch, or a merge has unresolved
 *  conflicts. @throws GitError */
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

/** Unlike symbolicRef, fails if this is no longer a repository. */
async function isOnBranch(git: Git, branch: string, dir: string, env: Env): Promise<boolean> {
  return (await git.text(dir, ['symbolic-ref', '--quiet', 'HEAD'], { env, accept: [0, 1] })) === `refs/heads/${branch}`;
}

/** git would record them as bare links, and their files would be invisible. */
export async function nestedRepositories(git: Git, dir: string, env: Env): Promise<string[]> {
  const { stdout } = await git.run(dir, ['ls-files', '--others', '-z', '--exclude-standard'], { env });
  return parseNames(stdout)
    .filter((name) => name.endsWith('/'))
    .map((name) => name.slice(0, -1));
}
