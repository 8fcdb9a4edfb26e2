import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeStaleLocks } from '../git/git-dir-state.js';
import { GitError } from '../git/git-error.js';
import type { Git } from '../git/git.js';
import { exists, ifThere } from '../git/if-there.js';
import { lendersOf, writeRepository } from '../git/own-repository.js';
import { firstOf, isAncestor, looseRefs, readRefs } from '../git/refs.js';
import { commonDirOf } from '../git/repository.js';
import { AppError } from '../platform/errors/app-error.js';
import { heldRefs } from './publish.js';
import { tipOf } from './stores.js';
import {
  branchUnknown,
  damage,
  discardFolder,
  isDamaged,
  isFilled,
  isOwnFolder,
  type Tree,
  workspaceLost,
} from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** A worktree, perhaps without files yet, and what was created for it. */
export interface PreparedTree extends Tree {
  made: { worktree: boolean; branch: boolean };
}

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
  const { git, paths, stores } = tools;
  const { attempt_id, branch } = workspace;
  const { repo_name, repo_path } = repo;
  const targets = tools.remotes.targetRefs(repo).map(({ ref }) => ref);
  const refs = await refsOf(tools, workspace, repo, targets, isFirst);
  const tip = refs.get(`refs/heads/${branch}`) ?? null;
  const [dir, store] = [paths.worktree(attempt_id, repo_name), stores.at(attempt_id, repo_name)];
  const isThere = await isPresent(tools, workspace, repo, dir, store);
  if (!isThere && tip === null && repo.base_commit !== null)
    throw workspaceLost(workspace, `the folder and the branch of ${repo_name} are gone`);
  const base_commit = repo.base_commit ?? (await startOf(git, repo, tip, firstOf(refs, targets)));
  const made = { worktree: !isThere, branch: !isThere && tip === null };
  const tree = { repo_name, repo_path, common, dir, store, branch, base_commit, isDamaged: false, made };
  const target = firstOf(refs, targets);
  if (made.worktree) await make(tools, attempt_id, tree, tip, target ? { [shownAs(repo)]: target } : {});
  return tree;
}

/** The branch of the user first, which git refuses if it has come into being meanwhile. */
async function make(
  tools: WorkspaceTools,
  attempt_id: string,
  tree: PreparedTree,
  tip: string | null,
  shown: Readonly<Record<string, string>>,
): Promise<void> {
  const { git, paths, stores } = tools;
  const { repo_path, common, dir, store, branch, base_commit } = tree;
  const branchLine = tip === null ? `create refs/heads/${branch}\0${base_commit}\0` : '';
  const input = `${branchLine}update ${heldRefs(attempt_id)}/base\0${base_commit}\0\0`;
  await git.run(repo_path, ['update-ref', '--stdin', '-z'], { input });
  const head = await headFor(git, store, tip ?? base_commit);
  const settings = await stores.make(store, { repo_path, common, base_commit, head });
  const place = paths.trash();
  await writeRepository(path.join(place, '.git'), {
    config: settings,
    isBare: false,
    isSha256: base_commit.length === 64,
    head: `refs/heads/${branch}`,
    refs: { [`refs/heads/${branch}`]: head, ...shown },
    borrows: [path.join(store, 'objects'), ...(await lendersOf(path.join(common, 'objects')))],
    shallow: (await ifThere(readFile(path.join(store, 'shallow'), 'utf8'))) ?? '',
    exclude: (await ifThere(readFile(path.join(store, 'info/exclude'), 'utf8'))) ?? '',
  });
  await mkdir(paths.attempt(attempt_id), { recursive: true });
  await rename(place, dir);
}

/** Where a run finds the target, which it cannot fetch. */
const shownAs = ({ target_branch }: WorkspaceRepo): string =>
  `refs/remotes/origin/${target_branch.replace(/^origin\//, '')}`;

/** What was committed last may not have been shown to the user yet. */
async function headFor(git: Git, store: string, tip: string): Promise<string> {
  const known = await tipOf(store, 'head');
  return known !== null && known !== tip && (await isAncestor(git, store, tip, known)) ? known : tip;
}

/** Whether the worktree is there from an earlier call. Remains of an interrupted first try are cleared; files of a once
 *  complete worktree are never removed here. */
async function isPresent(
  { paths }: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  dir: string,
  store: string,
): Promise<boolean> {
  if (!(await exists(dir))) return false;
  const isOwn = await isOwnFolder(dir);
  const isWhole = isOwn && !(await isDamaged(dir));
  if (isWhole && (await exists(path.join(store, 'HEAD')))) return true;
  if (
    isOwn &&
    (await rmdir(dir).then(
      () => true,
      () => false,
    ))
  )
    return false; // it was empty
  if (repo.base_commit !== null) throw workspaceLost(workspace, isWhole ? 'its store is gone' : damage(repo.repo_name));
  await discardFolder(paths, dir);
  return false;
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
    for (const tree of trees.reverse()) await takeBack(tools, workspace, tree);
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

/** Best effort: the original failure is the one reported. */
async function takeBack(
  { git, paths, repositories }: WorkspaceTools,
  { attempt_id }: Workspace,
  { made, dir, store, common, repo_path, branch, base_commit }: PreparedTree,
): Promise<void> {
  await repositories
    .run(common, async () => {
      if (made.worktree) {
        await discardFolder(paths, dir);
        await rm(store, { recursive: true, force: true });
        await rmdir(path.dirname(store)).catch(() => undefined); // not while it holds others
      }
      if (made.branch) {
        const refs = [`refs/heads/${branch}`, `${heldRefs(attempt_id)}/base`];
        const input = refs.map((ref) => `delete ${ref}\0${base_commit}\0`).join('');
        await git.run(repo_path, ['update-ref', '--stdin', '-z'], { input });
      }
    })
    .catch(() => undefined);
}
