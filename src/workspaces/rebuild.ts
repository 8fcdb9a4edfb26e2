import { rm, writeFile } from 'node:fs/promises';
import { commitOf, isAncestor, readRefs } from '../git/refs.js';
import { commonDirOf } from '../git/repository.js';
import { deposit, land } from '../git/landing.js';
import { disposeTree } from './dispose.js';
import { REFILL } from './inside-scripts.js';
import type { PreparedTree } from './make-tree.js';
import { checkOut, ownerOf, prepareWorkspace } from './prepare.js';
import { heldRefs } from './publish.js';
import type { Inheritance, RepositorySnapshot } from './saved-work.js';
import { SAVED_REFS } from './snapshot.js';
import { isFilled, placeOf, type TreePlace, workspaceLost } from './trees.js';
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
    await (snapshot?.work ? fillFromSnapshot(tools, tree, snapshot.work) : checkOut(tools, tree));
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
  await commonDirOf(tools.git, repo.repo_path);
  const place = await placeOf(tools.git, tools.paths, workspace, repo);
  if (typeof place === 'string') return true;
  const isRebuilding = !(await isFilled(place));
  if (isRebuilding || (await ownerOf(place.store)) === from) return isRebuilding;
  await disposeTree(tools, workspace, repo, { deleteBranch: false });
  return true;
}

/** Brings the branch and the saved work into the store of this runner, and shows the branch to the user.
 *  @throws AppError workspace_lost where the repository lacks what the work builds on; git_failed, storage_full */
async function receiveSnapshot(
  tools: WorkspaceTools,
  workspace: Workspace,
  repo: WorkspaceRepo,
  { bundle, remote, head, base_commit }: RepositorySnapshot,
): Promise<void> {
  const { git, repositories, remotes, stores, paths } = tools;
  const { repo_name, repo_path } = repo;
  // a clone of this runner may be older than the attempt
  if ((await commitOf(git, repo_path, base_commit)) === null) await remotes.refresh(repo);
  if ((await commitOf(git, repo_path, base_commit)) === null)
    throw workspaceLost(workspace, `${repo_name} lacks the commit that the saved work builds on`);
  const common = await commonDirOf(git, repo_path);
  const store = stores.at(workspace.attempt_id, repo_name);
  await stores.make(store, { repo_path, common, base_commit, head: base_commit });
  if (bundle !== null) await fetchBundle(tools, store, bundle);
  if (remote !== null) await tools.saves.restore(repo, remote, { dir: store, refs: SAVED_REFS });
  if ((await commitOf(git, store, head)) === null)
    throw workspaceLost(workspace, `${repo_name} lacks the commit ${head}, which was not saved`);
  const dir = paths.worktree(workspace.attempt_id, repo_name);
  const place = { repo_name, repo_path, common, dir, store, branch: workspace.branch, isDamaged: false };
  await repositories.run(common, () => moveBranch(tools, workspace, place, head));
}

/** The index is written last and atomically: it marks the tree as complete. */
async function fillFromSnapshot({ inside, git }: WorkspaceTools, tree: PreparedTree, work: string): Promise<void> {
  const staged = await commitOf(git, tree.store, `${work}^2`);
  const args = [work, staged ?? 'HEAD'];
  await inside.run(tree, { target: 'own', script: REFILL, args, options: { timeoutMs: FILL_TIMEOUT_MS } });
}

async function fetchBundle({ git, paths }: WorkspaceTools, store: string, bundle: Buffer): Promise<void> {
  const file = `${paths.trash()}.bundle`;
  try {
    await writeFile(file, bundle, { flag: 'wx', mode: 0o600 });
    const refs = `+${SAVED_REFS}/*:${SAVED_REFS}/*`;
    await git.run(store, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', file, refs], {
      env: { GIT_ALLOW_PROTOCOL: 'file' },
      timeoutMs: FETCH_TIMEOUT_MS,
    });
  } finally {
    await rm(file, { force: true });
  }
}

/** In a shared repository, a branch ahead of the snapshot stays; one that diverged is kept under a ref of ours. */
async function moveBranch(
  { git, stores }: WorkspaceTools,
  { attempt_id }: Workspace,
  tree: TreePlace,
  saved: string,
): Promise<void> {
  const ref = `refs/heads/${tree.branch}`;
  const tip = (await readRefs(git, tree.repo_path, [ref])).get(ref) ?? '';
  const isAhead = tip !== '' && (await isAncestor(git, tree.store, saved, tip));
  const head = isAhead ? tip : saved;
  await stores.move(tree.store, 'head', head);
  if (tip !== '' && !isAhead && !(await isAncestor(git, tree.store, tip, saved)))
    await deposit(git, tree, `${heldRefs(attempt_id)}/replaced`, tip);
  const move = { ref, from: tip, to: head, withCheckout: false };
  if (tip === head || (await land(git, tree, move)).outcome === 'landed')
    await stores.move(tree.store, 'published', head);
}
