import { previewMerge } from '../git/merge-preview.js';
import type { Git } from '../git/git.js';
import { readTips } from '../git/refs.js';
import { reportOperation, reportPreview, type Sides } from './conflict-report.js';
import type { RepoStanding, TargetPlace } from './delivery-host.js';
import { commitAll, type Look, lookAt, type Lookout } from './look.js';
import { publish } from './publish.js';
import { type Tree, workspaceLost } from './trees.js';
import type { TargetRef } from './remotes.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** Commits of a branch and its target, read at one moment and used from then on. */
export interface Ends {
  head: string;
  target: TargetPlace | null;
  /** Its tree; null if there is no target. */
  targetTree: string | null;
}

/** One repository of an attempt, and where its target may be, best first. */
export interface Place {
  workspace: Workspace;
  repo: WorkspaceRepo;
  tree: Tree;
  targets: readonly TargetRef[];
}

/** Compares a repository with its target.
 *  @param message uncommitted work is committed first, with this message; null: nothing on disk changes
 *  @throws AppError workspace_lost; GitError */
export async function standingOf(
  tools: WorkspaceTools,
  place: Place,
  message: string | null = null,
): Promise<Omit<RepoStanding, 'fetch_error'> & { look: Look }> {
  const { workspace, repo, tree } = place;
  const look =
    message === null
      ? await lookAt(tools, tree, 'work')
      : await lookAt(tools, tree, 'refs', { first: commitAll(message) });
  const ends = await endsOf(tools.git, place, look);
  const { head, target } = ends;
  const { operation } = look;
  const [counts, content, merge] = await Promise.all([
    countsOf(tools.git, tree, ends),
    contentOf(tools.git, tree, look, head),
    operation ? noMerge : sourceOf(tools, tree, look, head).then((source) => mergeOf(tools, place, ends, source)),
    message !== null && publish(tools, tree),
  ]);
  return {
    repo_name: repo.repo_name,
    branch: workspace.branch,
    head,
    is_on_branch: look.isOnBranch || operation?.kind === 'rebase',
    target_branch: repo.target_branch,
    target,
    ...counts,
    uncommitted: look.isDirty,
    content,
    ...merge,
    operation: await operationFacts(tools, tree, look, sidesOf(workspace, repo, head, target)),
    look,
  };
}

/** Whether work meets its target, by a merge or an update in progress. Where the target has not moved since the work
 *  began, nobody needs to look. @throws AppError workspace_lost; GitError */
export async function meetsConflict(tools: WorkspaceTools, place: Place): Promise<boolean> {
  const target = await targetOf(tools.git, place);
  if (target === null || target.commit === place.repo.base_commit) return false;
  const { preview, operation } = await standingOf(tools, place);
  return operation === null ? Boolean(preview?.conflict) : operation.unresolved > 0;
}

/** @param look just made. @throws AppError workspace_lost where the branch of the attempt is gone */
export async function endsOf(git: Git, place: Place, { head }: Pick<Look, 'head'>): Promise<Ends> {
  if (head === null) throw workspaceLost(place.workspace, `the branch of ${place.tree.repo_name} is gone`);
  return { head, ...(await targetWithTree(git, place)) };
}

export const targetOf = async (git: Git, place: Place): Promise<TargetPlace | null> =>
  (await targetWithTree(git, place)).target;

async function targetWithTree(git: Git, { repo, targets }: Place): Promise<Pick<Ends, 'target' | 'targetTree'>> {
  const refs = targets.map(({ ref }) => ref);
  const tips = await readTips(git, repo.repo_path, refs);
  const found = targets.find(({ ref }) => tips.has(ref));
  if (!found) return { target: null, targetTree: null };
  const { ref, remote, branch } = found;
  const { commit, tree: targetTree } = tips.get(ref)!;
  return { target: { commit, remote, branch }, targetTree };
}

async function countsOf(git: Git, { store }: Tree, { head, target }: Ends): Promise<{ ahead: number; behind: number }> {
  if (target === null) return { ahead: 0, behind: 0 };
  const args = ['rev-list', '--left-right', '--count', `${target.commit}...${head}`];
  const [behind = 0, ahead = 0] = (await git.text(store, args)).split('\t').map(Number);
  return { ahead, behind };
}

/** What a delivery would commit, as a tree. */
export async function contentOf(git: Git, { store }: Tree, look: Look, head: string): Promise<string | null> {
  if (look.tooLarge !== null) return null;
  return look.files ?? git.text(store, ['rev-parse', `${head}^{tree}`]);
}

/** Includes uncommitted work, because a delivery commits it first; null where that is too large for a look. */
export async function sourceOf(
  { git, stores }: Lookout,
  { store }: Tree,
  look: Look,
  head: string,
): Promise<string | null> {
  if (look.tooLarge !== null) return null;
  if (look.files === null) return head;
  const commit = await git.text(store, ['commit-tree', look.files, '-p', head, '-m', 'Uncommitted work']);
  await stores.move(store, 'work', commit);
  return commit;
}

type Merge = Pick<RepoStanding, 'is_unrelated' | 'is_contained' | 'preview'>;
const noMerge: Merge = { is_unrelated: false, is_contained: false, preview: null };

/** @param source what is merged: the tip of the branch, or a commit on top of it */
async function mergeOf(
  tools: Lookout,
  { workspace, repo, tree }: Place,
  { head, target, targetTree }: Ends,
  source: string | null,
): Promise<Merge> {
  if (target === null || source === null) return noMerge;
  const merge = await previewMerge(tools.git, tree.store, source, target.commit);
  if (merge.outcome === 'unrelated') return { ...noMerge, is_unrelated: true };
  if (merge.outcome === 'clean')
    return { ...noMerge, is_contained: merge.tree === targetTree, preview: { tree: merge.tree, conflict: null } };
  const conflict = await reportPreview(tools, tree, sidesOf(workspace, repo, head, target), merge.conflicts);
  return { ...noMerge, preview: { tree: null, conflict } };
}

async function operationFacts(
  tools: Lookout,
  tree: Tree,
  { operation, tip }: Look,
  sides: Sides,
): Promise<RepoStanding['operation']> {
  if (operation === null) return null;
  const commit = operation.onto ?? sides.target.commit;
  const seen = { ...sides, target: { ...sides.target, commit } };
  const report = await reportOperation(tools, tree, { operation, tip }, seen);
  return { report, onto: operation.onto, unresolved: report.files.filter(({ resolved }) => !resolved).length };
}

export const sidesOf = (
  { branch }: Workspace,
  { target_branch }: WorkspaceRepo,
  head: string,
  target: Pick<TargetPlace, 'commit'> | null,
): Sides => ({
  source: { branch, commit: head },
  target: { branch: target_branch, commit: target?.commit ?? head },
});
