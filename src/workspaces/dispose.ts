import { rmdir } from 'node:fs/promises';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { isOnBranches, readRefs } from '../git/refs.js';
import { worktreeGitDir } from '../git/worktree-pointer.js';
import { forgetWorktree } from '../git/worktrees.js';
import { ownerOf } from './prepare.js';
import { commonDirIfThere, discardFolder, emptyTrash, isOwnFolder, moveToTrash } from './trees.js';
import { forgetSnapshots } from './snapshot.js';
import { saveWork } from './save-work.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

export interface DisposeOptions {
  deleteBranch: boolean;
}

/** Every repository gets its turn; the first failure is thrown at the end, and what failed keeps its worktree. */
export async function disposeWorkspace(
  tools: WorkspaceTools,
  workspace: Workspace,
  options: DisposeOptions,
): Promise<void> {
  const failures: unknown[] = [];
  for (const repo of workspace.repos)
    await disposeTree(tools, workspace, repo, options).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0]; // a later call disposes of the rest and meets the others
  await discardFolder(tools.paths, tools.paths.attempt(workspace.attempt_id));
  if (options.deleteBranch) await emptyTrash(tools.paths.agentState(workspace.attempt_id));
}

/** For an attempt that another runner has continued: branch and snapshots stay, because both may share a repository. On
 *  a shared volume the worktree belongs to the other runner. */
export async function disposeStray(tools: WorkspaceTools, workspace: Workspace): Promise<void> {
  const { git, paths, owner } = tools;
  let isShared = false;
  for (const repo of workspace.repos) {
    const common = await commonDirIfThere(git, repo.repo_path);
    const gitDir = common && (await worktreeGitDir(paths.worktree(workspace.attempt_id, repo.repo_name), common));
    if (gitDir && !['', owner].includes(await ownerOf(gitDir))) isShared = true;
    else await takeAway(tools, workspace, repo, common);
  }
  if (!isShared) await emptyTrash(paths.agentState(workspace.attempt_id));
  await rmdir(paths.attempt(workspace.attempt_id)).catch(() => undefined); // not while anything is left in it
}

export async function disposeTree(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  { deleteBranch }: DisposeOptions,
): Promise<void> {
  const { git, repositories } = tools;
  const common = await commonDirIfThere(git, repo.repo_path);
  await takeAway(tools, workspace, repo, common);
  if (common === null) return;
  await repositories.run(common, async () => {
    if (deleteBranch) await deleteOwnBranch(git, workspace.branch, repo);
    await forgetSnapshots(git, workspace, repo.repo_path);
  });
}

/** Removes only the worktree, after saving its work. */
async function takeAway(
  { git, paths, repositories }: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  common: string | null,
): Promise<void> {
  const dir = paths.worktree(workspace.attempt_id, repo.repo_name);
  if (common === null) return discardFolder(paths, dir);
  const trash = await repositories.run(common, async () => {
    if (await isOwnFolder(dir)) await saveWork(git, workspace, repo, common, dir);
    return moveToTrash(paths, dir);
  });
  await emptyTrash(trash);
  await repositories.run(common, () => forgetWorktree(git, repo.repo_path, dir));
}

/** Unless it has commits that are on no other branch, or the user has it checked out. */
async function deleteOwnBranch(git: Git, branch: string, { repo_path, base_commit }: WorkspaceRepo): Promise<void> {
  const name = `refs/heads/${branch}`;
  const tip = (await readRefs(git, repo_path, [name])).get(name);
  if (tip === undefined) return;
  if (tip !== base_commit && !(await isOnBranches(git, repo_path, tip, branch))) return;
  try {
    await git.run(repo_path, ['branch', '-D', '--quiet', '--', branch]);
  } catch (error) {
    // A branch that somebody has checked out by now is theirs, and stays.
    if (!(error instanceof GitError) || !error.says(/checked out at|used by worktree/)) throw error;
  }
}
