import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../git/git.js';
import { ifThere } from '../git/if-there.js';
import { previewMerge } from '../git/merge-preview.js';
import { type Operation, operationOf } from '../git/git-dir-state.js';
import { readTips } from '../git/refs.js';
import { withTemporaryIndex } from '../git/temporary-index.js';
import { locationEnvironment } from '../git/worktree-pointer.js';
import { hasUncommittedWork, nestedRepositories, stageWork } from './commit-work.js';
import { reportOperation, reportPreview, type Sides } from './conflict-report.js';
import type { RepoStanding, TargetPlace } from './delivery-host.js';
import { type Tree, workspaceLost } from './trees.js';
import type { TargetRef } from './remotes.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';

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

/** Compares a repository with its target; nothing on disk changes.
 *  @param isCommitted the caller has just committed everything
 *  @throws AppError workspace_lost; GitError */
export async function standingOf(
  git: Git,
  place: Place,
  isCommitted = false,
): Promise<Omit<RepoStanding, 'fetch_error'>> {
  const { workspace, repo, tree } = place;
  const tips = endsOf(git, place);
  const inMidst = operationOf(tree.gitDir);
  // The status takes longest, so committed work is merged in parallel; wasted only if there is uncommitted work.
  const [ends, operation, isOnBranch, uncommitted, counts, committed] = await Promise.all([
    tips,
    inMidst,
    isHeadOn(tree.gitDir, workspace.branch),
    isCommitted ? false : hasUncommittedWork(git, tree),
    tips.then((found) => countsOf(git, tree, found)),
    Promise.all([tips, inMidst]).then(([found, one]) => (one ? noMerge : mergeOf(git, place, found, found.head))),
  ]);
  const { head, target } = ends;
  const sides = sidesOf(workspace, repo, head, target);
  return {
    repo_name: repo.repo_name,
    branch: workspace.branch,
    head,
    is_on_branch: isOnBranch || operation?.kind === 'rebase',
    target_branch: repo.target_branch,
    target,
    ...counts,
    uncommitted,
    ...(uncommitted && operation === null ? await mergeWithWork(git, place, ends) : committed),
    operation: operation && (await operationFacts(git, tree, operation, sides)),
  };
}

/** @throws AppError workspace_lost where the branch of the attempt is gone */
export async function endsOf(git: Git, { workspace, repo, tree, targets }: Place): Promise<Ends> {
  const own = `refs/heads/${workspace.branch}`;
  const tips = await readTips(git, repo.repo_path, [own, ...targets.map(({ ref }) => ref)]);
  const head = tips.get(own)?.commit;
  if (head === undefined) throw workspaceLost(workspace, `the branch of ${tree.repo_name} is gone`);
  const found = targets.find(({ ref }) => tips.has(ref));
  if (!found) return { head, target: null, targetTree: null };
  const { ref, remote, branch } = found;
  const { commit, tree: targetTree } = tips.get(ref)!;
  return { head, target: { commit, remote, branch }, targetTree };
}

async function isHeadOn(gitDir: string, branch: string): Promise<boolean> {
  return (await ifThere(readFile(path.join(gitDir, 'HEAD'), 'utf8')))?.trim() === `ref: refs/heads/${branch}`;
}

async function countsOf(git: Git, tree: Tree, { head, target }: Ends): Promise<{ ahead: number; behind: number }> {
  if (target === null) return { ahead: 0, behind: 0 };
  const args = ['rev-list', '--left-right', '--count', `${target.commit}...${head}`];
  const [behind = 0, ahead = 0] = (await git.text(tree.dir, args, { env: locationEnvironment(tree) }))
    .split('\t')
    .map(Number);
  return { ahead, behind };
}

type Merge = Pick<RepoStanding, 'is_unrelated' | 'is_contained' | 'preview'>;
const noMerge: Merge = { is_unrelated: false, is_contained: false, preview: null };

/** @param source what is merged: the tip of the branch, or a commit on top of it */
async function mergeOf(
  git: Git,
  { workspace, repo, tree }: Place,
  { head, target, targetTree }: Ends,
  source: string,
): Promise<Merge> {
  if (target === null) return noMerge;
  const merge = await previewMerge(git, tree, source, target.commit);
  if (merge.outcome === 'unrelated') return { ...noMerge, is_unrelated: true };
  if (merge.outcome === 'clean')
    return { ...noMerge, is_contained: merge.tree === targetTree, preview: { tree: merge.tree, conflict: null } };
  const conflict = await reportPreview(git, tree, sidesOf(workspace, repo, head, target), merge.conflicts);
  return { ...noMerge, preview: { tree: null, conflict } };
}

/** Includes uncommitted work, because a delivery commits it first. */
async function mergeWithWork(git: Git, place: Place, ends: Ends): Promise<Merge> {
  if (ends.target === null) return noMerge;
  return mergeOf(git, place, ends, await snapshot(git, place.tree, ends.head));
}

/** A commit of the worktree as it is, on no branch. The index is not touched. */
function snapshot(git: Git, tree: Tree, head: string): Promise<string> {
  return withTemporaryIndex(tree.gitDir, async (index) => {
    const env = { ...locationEnvironment(tree), ...index };
    await stageWork(git, tree.dir, env, await nestedRepositories(git, tree.dir, env));
    const files = await git.text(tree.dir, ['write-tree'], { env });
    return git.text(tree.dir, ['commit-tree', files, '-p', head, '-m', 'Uncommitted work'], { env });
  });
}

async function operationFacts(
  git: Git,
  tree: Tree,
  operation: Operation,
  sides: Sides,
): Promise<RepoStanding['operation']> {
  const commit = operation.onto ?? sides.target.commit;
  const report = await reportOperation(git, tree, operation, { ...sides, target: { ...sides.target, commit } });
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
