import { lstat } from 'node:fs/promises';
import { bytePath, parseNames } from '../git/diff-records.js';
import type { Git } from '../git/git.js';
import { commitOf, isOnBranches, readRefs } from '../git/refs.js';
import { withTemporaryIndex } from '../git/temporary-index.js';
import { ifThere } from '../git/if-there.js';
import { locationEnvironment, worktreeGitDir } from '../git/worktree-pointer.js';
import { isFilled } from '../git/worktrees.js';
import { stageWork } from './commit-work.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';

type Env = Record<string, string>;

/** How git reaches the files: through the worktree, or, if its `.git` is destroyed, through the repository. */
export interface View {
  dir: string;
  gitDir: string;
  env: Env;
  head: string | null;
  isDamaged: boolean;
}

/** Commits what a worktree holds beyond its branches to `refs/taskyard/saved/<attempt_id>`: uncommitted and untracked
 *  files, those of repositories inside it (without their history), and commits of a detached HEAD, but no ignored
 *  files.
 *  An earlier saved commit stays reachable as a parent. @throws GitError */
export async function saveWork(
  git: Git,
  workspace: Workspace,
  { repo_path }: WorkspaceRepo,
  common: string,
  dir: string,
): Promise<void> {
  const view = await viewOf(git, workspace, repo_path, common, dir);
  if (view === null) return;
  const tree = await writeTree(git, view);
  if (await isKept(git, repo_path, view.head, tree)) return;
  const ref = `refs/taskyard/saved/${workspace.attempt_id}`;
  const earlier = (await readRefs(git, repo_path, [ref])).get(ref);
  const parents = [view.head, earlier]
    .filter((commit) => commit !== null && commit !== undefined)
    .flatMap((commit) => ['-p', commit]);
  const message = `Unfinished work of attempt ${workspace.attempt_id} on ${workspace.branch}`;
  const commit = await git.text(repo_path, ['commit-tree', tree, ...parents, '-m', message]);
  await git.run(repo_path, ['update-ref', ref, commit]);
}

/** Null for a worktree that was never checked out, which holds no work. */
export async function viewOf(
  git: Git,
  { branch }: Workspace,
  repo_path: string,
  common: string,
  dir: string,
): Promise<View | null> {
  const gitDir = await worktreeGitDir(dir, common);
  if (gitDir !== null) {
    if (!(await isFilled(gitDir))) return null;
    const env = locationEnvironment({ dir, gitDir, common });
    return { dir, gitDir, env, head: await commitOf(git, dir, 'HEAD', env), isDamaged: false };
  }
  const head = await commitOf(git, repo_path, `refs/heads/${branch}`);
  return { dir, gitDir: common, env: locationEnvironment({ dir, gitDir: common, common }), head, isDamaged: true };
}

export function writeTree(git: Git, { dir, gitDir, env, head, isDamaged }: View): Promise<string> {
  return withTemporaryIndex(gitDir, async (index) => {
    const lent = { ...env, ...index };
    if (isDamaged) await git.run(dir, ['read-tree', head ?? '--empty'], { env: lent });
    const nested = await nestedFiles(git, dir, '', lent);
    if (nested.length > 0)
      await git.run(dir, ['update-index', '--add', '--replace', '-z', '--stdin'], {
        env: lent,
        input: Buffer.from(nested.join(''), 'latin1'),
      });
    await stageWork(git, dir, lent);
    return git.text(dir, ['write-tree'], { env: lent });
  });
}

/** Files of repositories inside the worktree, which git would record as bare links. Byte strings ending with
 *  NUL.
 *  @param prefix folder of such a repository with a slash at its end; empty for the worktree, which only leads to
 *  them */
async function nestedFiles(git: Git, dir: string, prefix: string, env: Env): Promise<string[]> {
  const kinds = prefix === '' ? ['--others'] : ['--cached', '--others'];
  const names = parseNames(
    (await git.run(bytePath(dir, prefix).toString(), ['ls-files', ...kinds, '-z', '--exclude-standard'], { env }))
      .stdout,
  );
  const files: string[] = [];
  for (const name of names.map((name) => `${prefix}${name}`)) {
    if (name.endsWith('/')) files.push(...(await nestedFiles(git, dir, name, {})));
    else if (prefix !== '' && (await isFileOrLink(bytePath(dir, name)))) files.push(`${name}\0`);
  }
  return files;
}

async function isFileOrLink(file: Buffer): Promise<boolean> {
  const entry = await ifThere(lstat(file));
  return entry !== null && (entry.isFile() || entry.isSymbolicLink());
}

async function isKept(git: Git, repo_path: string, head: string | null, tree: string): Promise<boolean> {
  if (head === null) return false;
  return (
    tree === (await git.text(repo_path, ['rev-parse', `${head}^{tree}`])) &&
    (await isOnBranches(git, repo_path, head, null))
  );
}
