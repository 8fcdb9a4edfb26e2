import { parseNames } from '../git/diff-records.js';
import { deposit } from '../git/landing.js';
import { commitOf, isOnBranches, readRefs } from '../git/refs.js';
import type { InsideGit } from './inside-git.js';
import { COMMAND } from './inside-scripts.js';
import { type Look, lookAt } from './look.js';
import { isFilled, type TreePlace } from './trees.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Commits what a worktree holds beyond its branches to `refs/taskyard/saved/<attempt_id>` of the user's repository:
 *  uncommitted and untracked files, those of repositories inside it (without their history), and commits of a detached
 *  HEAD, but no ignored files. An earlier saved commit stays reachable as a parent. @throws GitError */
export async function saveWork(tools: WorkspaceTools, attempt_id: string, tree: TreePlace): Promise<void> {
  const { git } = tools;
  const look = await wholeLook(tools, tree);
  if (look === null || (await isKept(tools, tree, look))) return;
  const ref = `refs/taskyard/saved/${attempt_id}`;
  const earlier = (await readRefs(git, tree.repo_path, [ref])).get(ref);
  const parents = [...new Set([look.tip, ...look.others, earlier])].flatMap((commit) => (commit ? ['-p', commit] : []));
  const message = `Unfinished work of attempt ${attempt_id} on ${tree.branch}`;
  const commit = await git.text(tree.store, ['commit-tree', look.files!, ...parents, '-m', message]);
  await deposit(git, tree, ref, commit);
}

/** With everything that the worktree holds; null for one that was never checked out, which holds no work.
 *  @throws GitError */
export async function wholeLook(tools: WorkspaceTools, tree: TreePlace): Promise<Look | null> {
  if (!tree.isDamaged && !(await isFilled(tree))) return null;
  const nested = Buffer.from((await nestedFiles(tools.inside, tree, '')).join(''), 'latin1');
  return lookAt(tools, tree, 'all', { nested });
}

/** Files of repositories inside the worktree, which git would record as bare links. Byte strings ending with
 *  NUL.
 *  @param prefix folder of such a repository with a slash at its end; empty for the worktree, which only leads to
 *  them */
async function nestedFiles(inside: InsideGit, tree: TreePlace, prefix: string): Promise<string[]> {
  const args = ['ls-files', '--others', '-z', '--exclude-standard'];
  const place = `${tree.dir}/${Buffer.from(prefix, 'latin1').toString('utf8')}`;
  const variables: Record<string, string> = prefix === '' ? {} : { TREE: place, GIT_WORK_TREE: place, COPIED: '' };
  const { stdout } = await inside.run(tree, { target: 'copy', script: COMMAND, args, variables });
  const files: string[] = [];
  for (const name of parseNames(stdout).map((one) => `${prefix}${one}`)) {
    if (name.endsWith('/')) files.push(...(await nestedFiles(inside, tree, name)));
    else if (prefix !== '') files.push(`${name}\0`);
  }
  return files;
}

async function isKept({ git }: WorkspaceTools, { store, repo_path }: TreePlace, look: Look): Promise<boolean> {
  if (look.tip === null || look.files !== (await git.text(store, ['rev-parse', `${look.tip}^{tree}`]))) return false;
  for (const commit of [look.tip, ...look.others])
    if ((await commitOf(git, repo_path, commit)) === null || !(await isOnBranches(git, repo_path, commit, null)))
      return false;
  return true;
}
