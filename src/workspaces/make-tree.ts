import { mkdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../git/git.js';
import { exists, ifThere } from '../git/if-there.js';
import { lendersOf, writeRepository } from '../git/own-repository.js';
import { firstOf, isAncestor, looseRefs, readRefs } from '../git/refs.js';
import { heldRefs } from './publish.js';
import type { TargetRef } from './remotes.js';
import { tipOf } from './stores.js';
import { branchUnknown, damage, discardFolder, isDamaged, isOwnFolder, type Tree, workspaceLost } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** A worktree, perhaps without files yet, and what was created for it. */
export interface PreparedTree extends Tree {
  made: { worktree: boolean; branch: boolean };
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

/** Finds the worktree or makes it, with its repository, its store and the branch of the user. */
export async function ensureTree(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  common: string,
  isFirst: boolean,
): Promise<PreparedTree> {
  const { git, paths, stores } = tools;
  const { attempt_id, branch } = workspace;
  const { repo_name, repo_path } = repo;
  const places = tools.remotes.targetRefs(repo);
  const targets = places.map(({ ref }) => ref);
  const refs = await refsOf(tools, workspace, repo, targets, isFirst);
  const tip = refs.get(`refs/heads/${branch}`) ?? null;
  const [dir, store] = [paths.worktree(attempt_id, repo_name), stores.at(attempt_id, repo_name)];
  const isThere = await isPresent(tools, workspace, repo, dir, store);
  if (!isThere && tip === null && repo.base_commit !== null)
    throw workspaceLost(workspace, `the folder and the branch of ${repo_name} are gone`);
  const base_commit = repo.base_commit ?? (await startOf(git, repo, tip, firstOf(refs, targets)));
  const made = { worktree: !isThere, branch: !isThere && tip === null };
  const tree = { repo_name, repo_path, common, dir, store, branch, base_commit, isDamaged: false, made };
  if (!made.worktree) return tree;
  try {
    await make(tools, attempt_id, tree, tip, shownTarget(refs, places));
    return tree;
  } catch (error) {
    await undo(tools, workspace, tree);
    throw error;
  }
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

/** The target as a run finds it, which it cannot fetch. */
function shownTarget(refs: ReadonlyMap<string, string>, targets: readonly TargetRef[]): Record<string, string> {
  const found = targets.find(({ ref }) => refs.has(ref));
  if (found === undefined) return {};
  const { ref, remote, branch } = found;
  return { [remote === null ? ref : `refs/remotes/${remote}/${branch}`]: refs.get(ref)! };
}

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

/** Takes back what was made. Best effort: the original failure is the one reported. */
export async function undo(
  { git, paths }: WorkspaceTools,
  { attempt_id }: Workspace,
  { made, dir, store, repo_path, branch, base_commit }: PreparedTree,
): Promise<void> {
  if (made.worktree) {
    await discardFolder(paths, dir).catch(() => undefined);
    await rm(store, { recursive: true, force: true }).catch(() => undefined);
    await rmdir(path.dirname(store)).catch(() => undefined); // not while it holds others
  }
  if (!made.branch) return;
  const refs = [`refs/heads/${branch}`, `${heldRefs(attempt_id)}/base`];
  const input = refs.map((ref) => `delete ${ref}\0${base_commit}\0`).join('');
  await git.run(repo_path, ['update-ref', '--stdin', '-z'], { input }).catch(() => undefined);
}
