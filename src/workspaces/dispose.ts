import { GitError } from '../platform/git/git-error.js';
import type { Git } from '../platform/git/git.js';
import { isOnBranches, readRefs } from '../platform/git/refs.js';
import { forgetWorktree } from '../platform/git/worktrees.js';
import { discardFolder, emptyTrash, moveToTrash } from './discard.js';
import { forgetSnapshots } from './snapshot.js';
import { saveWork } from './save-work.js';
import { commonDirIfThere, isOwnFolder } from './trees.js';
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
  if (failures.length > 0) throw failures[0];
  await discardFolder(tools.paths, tools.paths.attempt(workspace.attempt_id));
}

export async function disposeTree(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  { deleteBranch }: DisposeOptions,
): Promise<void> {
  const { git, paths } = tools;
  const dir = paths.worktree(workspace.attempt_id, repo.repo_name);
  const common = await commonDirIfThere(git, repo.repo_path);
  if (common === null) return discardFolder(paths, dir);
  const inRepository = <T>(work: () => Promise<T>) => tools.repositories.run(common, work);
  const trash = await inRepository(async () => {
    if (await isOwnFolder(dir)) await saveWork(git, workspace, repo, common, dir);
    return moveToTrash(paths, dir);
  });
  await emptyTrash(trash);
  await inRepository(async () => {
    await forgetWorktree(git, repo.repo_path, dir);
    if (deleteBranch) await deleteOwnBranch(git, workspace.branch, repo);
    await forgetSnapshots(git, workspace, repo.repo_path);
  });
}

/** Unless it has commits of its own that are on no other branch, or the user has it checked out. */
async function deleteOwnBranch(git: Git, branch: string, { repo_path, base_commit }: WorkspaceRepo): Promise<void> {
  const name = `refs/heads/${branch}`;
  const tip = (await readRefs(git, repo_path, [name])).get(name);
  if (tip === undefined) return;
  if (tip !== base_commit && !(await isOnBranches(git, repo_path, tip, branch))) return;
  try {
    await git.run(repo_path, ['branch', '-D', '--quiet', '--', branch]);
  } catch (error) {
    if (!(error instanceof GitError) || !error.says(/checked out at|used by worktree/)) throw error;
  }
}
