import { rm, rmdir } from 'node:fs/promises';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { isOnBranches, readRefs } from '../git/refs.js';
import { takeIn } from './commit-work.js';
import { lookAt } from './look.js';
import { ownerOf } from './prepare.js';
import { heldRefs } from './publish.js';
import { saveWork } from './save-work.js';
import { commonDirIfThere, discardFolder, emptyTrash, placeOf } from './trees.js';
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
  await rm(tools.paths.stores(workspace.attempt_id), { recursive: true, force: true });
  if (options.deleteBranch) await emptyTrash(tools.paths.agentState(workspace.attempt_id));
}

/** For an attempt that another runner has continued: the branch stays, because both may share a repository. On a shared
 *  volume the worktree belongs to the other runner. */
export async function disposeStray(tools: WorkspaceTools, workspace: Workspace): Promise<void> {
  const { paths, stores, owner } = tools;
  let isShared = false;
  for (const repo of workspace.repos)
    if (!['', owner].includes(await ownerOf(stores.at(workspace.attempt_id, repo.repo_name)))) isShared = true;
    else await takeAway(tools, workspace, repo, lookOnly);
  if (!isShared) await emptyTrash(paths.agentState(workspace.attempt_id));
  await rmdir(paths.attempt(workspace.attempt_id)).catch(() => undefined); // not while anything is left in it
  await rmdir(paths.stores(workspace.attempt_id)).catch(() => undefined);
}

export async function disposeTree(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  { deleteBranch }: DisposeOptions,
): Promise<void> {
  const { git, repositories } = tools;
  await takeAway(tools, workspace, repo, takeIn);
  const common = await commonDirIfThere(git, repo.repo_path);
  if (common === null) return;
  await repositories.run(common, async () => {
    if (deleteBranch) await deleteOwnBranch(git, workspace.branch, repo);
    await letGo(git, workspace, repo);
  });
}

/** The branch of the user is the other runner's by now. */
const lookOnly: typeof takeIn = (tools, tree) => lookAt(tools, tree, 'refs');

/** Removes worktree and store, after saving the work. */
async function takeAway(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  take: typeof takeIn,
): Promise<void> {
  const { git, paths, stores } = tools;
  const { attempt_id } = workspace;
  const place = await placeOf(git, paths, workspace, repo);
  if (typeof place !== 'string') {
    if (!place.isDamaged) await take(tools, place);
    await saveWork(tools, attempt_id, place);
  }
  await discardFolder(paths, paths.worktree(attempt_id, repo.repo_name));
  await rm(stores.at(attempt_id, repo.repo_name), { recursive: true, force: true });
}

/** What an attempt builds on is no longer kept for it. */
async function letGo(git: Git, { attempt_id }: Workspace, { repo_path }: WorkspaceRepo): Promise<void> {
  const names = await git.text(repo_path, ['for-each-ref', '--format=%(refname)', heldRefs(attempt_id)]);
  const lines = names.split('\n').filter(Boolean);
  if (lines.length === 0) return;
  await git.run(repo_path, ['update-ref', '--stdin', '-z'], {
    input: lines.map((ref) => `delete ${ref}\0\0`).join(''),
  });
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
