import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { commitOf, isAncestor } from '../git/refs.js';
import { locationEnvironment, worktreeGitDir } from '../git/worktree-pointer.js';
import { commonDirOf, fillWorktree, isFilled } from '../git/worktrees.js';
import { disposeTree } from './dispose.js';
import { ownerOf, type PreparedTree, prepareWorkspace } from './prepare.js';
import type { Inheritance, RepositorySnapshot } from './saved-work.js';
import { snapshotRefs } from './snapshot.js';
import { isOwnFolder, workspaceLost } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

const FETCH_TIMEOUT_MS = 5 * 60_000;
const FILL_TIMEOUT_MS = 15 * 60_000;

/** Rebuilds the worktrees of another runner, with uncommitted work; repeatable until it succeeds.
 *  @returns base commit of each repository */
export async function rebuildWorkspace(
  tools: WorkspaceTools,
  workspace: Workspace,
  { from, snapshots }: Inheritance,
): Promise<Record<string, string>> {
  const received: RepositorySnapshot[] = [];
  for (const repo of workspace.repos) {
    if (!(await clearPlace(tools, workspace, repo, from))) continue;
    const snapshot = snapshots.find(({ repo_name }) => repo_name === repo.repo_name);
    if (snapshot === undefined) continue;
    await receiveSnapshot(tools, workspace, repo, snapshot);
    received.push(snapshot);
  }
  return prepareWorkspace(tools, workspace, async (tree) => {
    const snapshot = received.find(({ repo_name }) => repo_name === tree.repo_name);
    await (snapshot?.work ? fillFromSnapshot(tools.git, tree, snapshot.work) : fillWorktree(tools.git, tree));
  });
}

/** On a shared volume the worktree of the last home is present and newer than any snapshot. One left from an earlier
 *  time as home is out of date.
 *  @returns whether the worktree has to be created */
async function clearPlace(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  from: string,
): Promise<boolean> {
  const common = await commonDirOf(tools.git, repo.repo_path);
  const dir = tools.paths.worktree(workspace.attempt_id, repo.repo_name);
  const gitDir = (await isOwnFolder(dir)) ? await worktreeGitDir(dir, common) : null;
  if (gitDir === null) return true;
  const isRebuilding = !(await isFilled(gitDir));
  if (isRebuilding || (await ownerOf(gitDir)) === from) return isRebuilding;
  await disposeTree(tools, workspace, repo, { deleteBranch: false });
  return true;
}

/** Brings the branch and the saved work into the repository of this runner.
 *  @throws AppError workspace_lost where the repository lacks what the work builds on; git_failed, storage_full */
async function receiveSnapshot(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  { bundle, remote, head }: RepositorySnapshot,
): Promise<void> {
  const { git, repositories, remotes } = tools;
  // a clone of this runner may be older than the attempt
  if (repo.base_commit !== null && (await commitOf(git, repo.repo_path, repo.base_commit)) === null)
    await remotes.refresh(repo);
  await repositories.run(await commonDirOf(git, repo.repo_path), async () => {
    if (bundle !== null) await fetchBundle(tools, workspace, repo, bundle);
    if (remote !== null) await tools.saves.restore(repo, remote, snapshotRefs(workspace.attempt_id));
    if ((await commitOf(git, repo.repo_path, head)) === null)
      throw workspaceLost(workspace, `${repo.repo_name} lacks the commit ${head}, which was not saved`);
    await moveBranch(git, workspace, repo, head);
  });
}

/** The index is written last and atomically: it marks the tree as complete. */
async function fillFromSnapshot(git: Git, tree: PreparedTree, work: string): Promise<void> {
  const index = path.join(tree.gitDir, 'index-rebuilt');
  const env = { ...locationEnvironment(tree), GIT_INDEX_FILE: index };
  const read = (...args: string[]) => git.run(tree.dir, ['read-tree', ...args], { env, timeoutMs: FILL_TIMEOUT_MS });
  await rm(index, { force: true });
  await read('--reset', '-u', work);
  const staged = await commitOf(git, tree.dir, `${work}^2`, locationEnvironment(tree));
  await read('-m', staged ?? 'HEAD'); // keeps what it knows of files that are the same
  await rename(index, path.join(tree.gitDir, 'index'));
}

async function fetchBundle(
  { git, paths }: WorkspaceTools,
  workspace: Workspace,
  { repo_name, repo_path }: WorkspaceRepo,
  bundle: Buffer,
): Promise<void> {
  const file = `${paths.trash()}.bundle`;
  const refs = `${snapshotRefs(workspace.attempt_id)}/*`;
  try {
    await writeFile(file, bundle, { flag: 'wx', mode: 0o600 });
    await git.run(repo_path, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', file, `+${refs}:${refs}`], {
      env: { GIT_ALLOW_PROTOCOL: 'file' },
      timeoutMs: FETCH_TIMEOUT_MS,
    });
  } catch (error) {
    if (!(error instanceof GitError) || !error.says(/lacks these prerequisite commits/)) throw error;
    throw workspaceLost(workspace, `${repo_name} lacks the commit that the saved work builds on`);
  } finally {
    await rm(file, { force: true });
  }
}

/** In a shared repository, a branch ahead of the snapshot stays; one that diverged is kept under a ref of ours. */
async function moveBranch(git: Git, workspace: Workspace, { repo_path }: WorkspaceRepo, head: string): Promise<void> {
  const ref = `refs/heads/${workspace.branch}`;
  const tip = await commitOf(git, repo_path, ref);
  if (tip === head || (tip !== null && (await isAncestor(git, repo_path, head, tip)))) return;
  if (tip !== null && !(await isAncestor(git, repo_path, tip, head)))
    await git.run(repo_path, ['update-ref', `${snapshotRefs(workspace.attempt_id)}/replaced`, tip]);
  await git.run(repo_path, ['update-ref', ref, head, tip ?? '']);
}
