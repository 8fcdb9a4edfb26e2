import { lstat, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeStaleLocks } from '../git/git-dir-state.js';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { firstOf, looseRefs, readRefs } from '../git/refs.js';
import { pointerFault, worktreeGitDir } from '../git/worktree-pointer.js';
import { addWorktree, commonDirOf, fillWorktree, forgetWorktree, isFilled } from '../git/worktrees.js';
import { AppError } from '../platform/errors/app-error.js';
import { branchUnknown, discardFolder, isOwnFolder, type Tree, workspaceLost } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** A registered worktree, perhaps without files yet, and what was created for it. */
export interface PreparedTree extends Tree {
  repo_path: string;
  made: { worktree: boolean; branch: boolean };
}

const RETRY_AFTER_MS = [100, 400];

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

/** For a new attempt only loose refs are read; if its branch exists after all, git refuses to create it, and the next
 *  try asks git. */
async function refsOf(
  { git }: WorkspaceTools,
  { branch }: Workspace,
  { repo_path, base_commit }: WorkspaceRepo,
  targets: readonly string[],
  isFirst: boolean,
): Promise<Map<string, string>> {
  const [target = '', ...others] = targets;
  const names = [`refs/heads/${branch}`, target];
  const loose = isFirst && base_commit === null ? await looseRefs(repo_path, names) : new Map<string, string>();
  return loose.has(target) ? loose : readRefs(git, repo_path, [...names, ...others]);
}

async function ensureTree(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  common: string,
  isFirst: boolean,
): Promise<PreparedTree> {
  const { git, paths } = tools;
  const { repo_name, repo_path } = repo;
  const targets = tools.remotes.targetRefs(repo).map(({ ref }) => ref);
  const refs = await refsOf(tools, workspace, repo, targets, isFirst);
  const tip = refs.get(`refs/heads/${workspace.branch}`) ?? null;
  const dir = paths.worktree(workspace.attempt_id, repo_name);
  const present = await presentTree(tools, workspace, repo, common, dir);
  if (present === null && tip === null && repo.base_commit !== null)
    throw workspaceLost(workspace, `the folder and the branch of ${repo_name} are gone`);
  const base_commit = repo.base_commit ?? (await startOf(git, repo, tip, firstOf(refs, targets)));
  const made = { worktree: present === null, branch: present === null && tip === null };
  if (made.worktree) await add(git, repo_path, dir, workspace.branch, made.branch ? base_commit : null);
  const gitDir = present ?? (await worktreeGitDir(dir, common));
  if (gitDir === null) throw workspaceLost(workspace, `${repo_name}: ${await pointerFault(dir, common)}`);
  return { repo_name, repo_path, common, dir, gitDir, base_commit, made };
}

/** Deletes a branch that git created before it failed; the first failure is the one reported. */
async function add(git: Git, repo_path: string, dir: string, branch: string, start: string | null): Promise<void> {
  try {
    await addWorktree(git, repo_path, dir, branch, start);
  } catch (error) {
    if (start !== null)
      await git.run(repo_path, ['update-ref', '-d', `refs/heads/${branch}`, start]).catch(() => undefined);
    throw error;
  }
}

/** Git dir of the worktree from an earlier call, or null if it is to be created. Remains of an interrupted first try
 *  are cleared; files of a once complete worktree are never removed here. */
async function presentTree(
  { git, paths }: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  common: string,
  dir: string,
): Promise<string | null> {
  if (!(await ifThere(lstat(dir)))) return null;
  if (await isOwnFolder(dir)) {
    const gitDir = (await worktreeGitDir(dir, common)) ?? (await repaired(git, repo.repo_path, dir, common));
    if (gitDir !== null || (await readdir(dir)).length === 0) return gitDir;
  }
  if (repo.base_commit !== null)
    throw workspaceLost(workspace, `${repo.repo_name}: ${(await pointerFault(dir, common)) ?? 'its folder is a link'}`);
  await discardFolder(paths, dir);
  return null;
}

/** Writes the `.git` file again where git still knows the worktree; not through a link, as git would follow it. */
async function repaired(git: Git, repo_path: string, dir: string, common: string): Promise<string | null> {
  const pointer = await ifThere(lstat(path.join(dir, '.git')));
  if (pointer !== null && !pointer.isFile()) return null;
  await git.run(repo_path, ['worktree', 'repair'], { accept: [0, 1] });
  return worktreeGitDir(dir, common);
}

/** Start of a branch: the target if it is yet to be created, else the merge base. */
async function startOf(git: Git, repo: WorkspaceRepo, tip: string | null, target: string | null): Promise<string> {
  if (target === null) throw await branchUnknown(git, repo);
  return tip === null ? target : git.text(repo.repo_path, ['merge-base', tip, target]);
}

async function repositoryOf(git: Git, { repo_name, repo_path }: WorkspaceRepo): Promise<string> {
  try {
    return await commonDirOf(git, repo_path);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'git_failed') throw error;
    throw new AppError('repo_invalid', { repo_name, reason: String(error.details.reason) });
  }
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

/** Registers the worktree of every repository, which is quick and finds most faults, then checks them out. If anything
 *  fails, what this call created is removed. @returns base commit of each repository */
export async function prepareWorkspace(
  tools: WorkspaceTools,
  workspace: Workspace,
  fill: (tree: PreparedTree) => Promise<void> = (tree) => fillWorktree(tools.git, tree),
): Promise<Record<string, string>> {
  const trees: PreparedTree[] = [];
  try {
    for (const repo of workspace.repos) trees.push(await prepareTree(tools, workspace, repo));
    for (const tree of trees) await complete(tools, tree, fill);
    return Object.fromEntries(trees.map(({ repo_name, base_commit }) => [repo_name, base_commit]));
  } catch (error) {
    for (const tree of trees.reverse()) await takeBack(tools, tree, workspace.branch);
    // Only if it is empty; the original failure is the one reported.
    await rmdir(tools.paths.attempt(workspace.attempt_id)).catch(() => undefined);
    throw error;
  }
}

async function complete(
  { fills, owner }: WorkspaceTools,
  tree: PreparedTree,
  fill: (tree: PreparedTree) => Promise<void>,
): Promise<void> {
  await removeStaleLocks(tree.gitDir, tree.dir);
  if (!(await isFilled(tree.gitDir))) await fills.run(tree.common, () => fill(tree));
  if (owner !== '' && (await ownerOf(tree.gitDir)) !== owner) await writeFile(ownerFile(tree.gitDir), owner);
}

const ownerFile = (gitDir: string): string => path.join(gitDir, 'taskyard-runner');

/** The runner that prepared the worktree last; empty where there is one alone. */
export async function ownerOf(gitDir: string): Promise<string> {
  return (await ifThere(readFile(ownerFile(gitDir), 'utf8'))) ?? '';
}

/** Best effort: the original failure is the one reported. */
async function takeBack(
  { git, paths, repositories }: WorkspaceTools,
  tree: PreparedTree,
  branch: string,
): Promise<void> {
  await repositories
    .run(tree.common, async () => {
      if (tree.made.worktree) {
        await discardFolder(paths, tree.dir);
        await forgetWorktree(git, tree.repo_path, tree.dir);
      }
      if (tree.made.branch)
        await git.run(tree.repo_path, ['update-ref', '-d', `refs/heads/${branch}`, tree.base_commit]);
    })
    .catch(() => undefined);
}
