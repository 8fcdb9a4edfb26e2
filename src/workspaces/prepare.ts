import { readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeStaleLocks } from '../git/git-dir-state.js';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { commonDirOf } from '../git/repository.js';
import { AppError } from '../platform/errors/app-error.js';
import { ensureTree, type PreparedTree, undo } from './make-tree.js';
import { isFilled } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

const RETRY_AFTER_MS = [100, 400];
const FILL_TIMEOUT_MS = 15 * 60_000;

/** A new attempt begins at the current target, fetched if it is on a remote. @throws AppError repo_invalid,
 *  branch_unknown,
 *  workspace_lost, repo_locked, git_failed, storage_full, remote_unreachable, remote_auth_failed, remote_not_found */
async function prepareTree(tools: WorkspaceTools, workspace: Workspace, repo: WorkspaceRepo): Promise<PreparedTree> {
  const common = await repositoryOf(tools.git, repo);
  if (repo.base_commit === null) await tools.remotes.refresh(repo);
  return tools.repositories.run(common, () =>
    withRetries((isFirst) => ensureTree(tools, workspace, repo, common, isFirst)),
  );
}

async function withRetries<T>(work: (isFirst: boolean) => Promise<T>, tries = 0): Promise<T> {
  const isFirst = tries === 0;
  try {
    return await work(isFirst);
  } catch (error) {
    const delay = RETRY_AFTER_MS[tries];
    const mayPass =
      error instanceof GitError && (error.code === 'repo_locked' || (isFirst && error.says(/already exists/)));
    if (delay === undefined || !mayPass) throw error;
    await pause(delay);
    return withRetries(work, tries + 1);
  }
}

/** @throws AppError repo_invalid */
async function repositoryOf(git: Git, { repo_name, repo_path }: WorkspaceRepo): Promise<string> {
  try {
    return await commonDirOf(git, repo_path);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'git_failed') throw error;
    throw new AppError('repo_invalid', { repo_name, reason: String(error.details.reason) });
  }
}

/** Makes the worktree of every repository, which is quick and finds most faults, then checks them out. If anything
 *  fails, what this call created is removed. @returns base commit of each repository */
export async function prepareWorkspace(
  tools: WorkspaceTools,
  workspace: Workspace,
  fill: (tree: PreparedTree) => Promise<void> = (tree) => checkOut(tools, tree),
): Promise<Record<string, string>> {
  const trees: PreparedTree[] = [];
  try {
    for (const repo of workspace.repos) trees.push(await prepareTree(tools, workspace, repo));
    for (const tree of trees) await complete(tools, tree, fill);
    return Object.fromEntries(trees.map(({ repo_name, base_commit }) => [repo_name, base_commit]));
  } catch (error) {
    for (const tree of trees.reverse()) await tools.repositories.run(tree.common, () => undo(tools, workspace, tree));
    // Only if it is empty; the original failure is the one reported.
    await rmdir(tools.paths.attempt(workspace.attempt_id)).catch(() => undefined);
    throw error;
  }
}

/** Checks out HEAD over the remains of an interrupted try. Only for a tree that was never filled.
 *  @throws GitError */
export async function checkOut({ inside }: WorkspaceTools, tree: PreparedTree): Promise<void> {
  await inside.working(tree).run(tree.dir, ['reset', '--hard', '--quiet'], { timeoutMs: FILL_TIMEOUT_MS });
}

async function complete(
  { fills, owner }: WorkspaceTools,
  tree: PreparedTree,
  fill: (tree: PreparedTree) => Promise<void>,
): Promise<void> {
  await removeStaleLocks(path.join(tree.dir, '.git'), tree.dir);
  if (!(await isFilled(tree))) await fills.run(tree.common, () => fill(tree));
  if (owner !== '' && (await ownerOf(tree.store)) !== owner) await writeFile(ownerFile(tree.store), owner);
}

const ownerFile = (store: string): string => path.join(store, 'taskyard-runner');

/** The runner that prepared the worktree last; empty where there is one alone. */
export async function ownerOf(store: string): Promise<string> {
  return (await ifThere(readFile(ownerFile(store), 'utf8'))) ?? '';
}
