import { rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../git/git.js';
import { type Operation, type OperationKind, operationOf } from '../git/git-dir-state.js';
import { commitOf, isAncestor, symbolicRef } from '../git/refs.js';
import { locationEnvironment } from '../git/worktree-pointer.js';
import { filesWithMarkers, reportOperation, type Sides } from './conflict-report.js';
import type { BranchUpdate, UpdateMethod } from './delivery-host.js';
import { stageWork } from './commit-work.js';
import { endsOf, type Place, sidesOf, standingOf } from './standing.js';
import { branchUnknown, type Tree } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';

const TIMEOUT_MS = 5 * 60_000;
/** The user's settings that would change what these commands do, each switched off by name. */
const SETTINGS = [
  'core.editor=true',
  'sequence.editor=true',
  'merge.conflictStyle=zdiff3',
  'merge.autoStash=false',
  'rebase.autoStash=false',
  'rebase.updateRefs=false',
  'rebase.autoSquash=false',
  'commit.gpgSign=false',
  'rerere.enabled=false',
  'advice.mergeConflict=false',
].flatMap((setting) => ['-c', setting]);
const ABORT: Record<OperationKind, string[]> = {
  merge: ['merge', '--abort'],
  rebase: ['rebase', '--abort'],
  cherry_pick: ['cherry-pick', '--abort'],
  revert: ['revert', '--abort'],
  bisect: ['bisect', 'reset'],
};

/** @throws AppError as DeliveryHost.updateBranch */
export async function startUpdate(git: Git, place: Place, method: UpdateMethod): Promise<BranchUpdate> {
  const { workspace, repo, tree } = place;
  const { repo_name, target_branch } = repo;
  const standing = await standingOf(git, place);
  requireSettled(standing.operation?.report.operation ?? null, repo_name);
  if (!standing.is_on_branch) throw new AppError('branch_left', { repo_name, workspace_branch: workspace.branch });
  if (standing.target === null) throw await branchUnknown(git, repo);
  if (standing.is_unrelated) throw new AppError('unrelated_histories', { repo_name, target_branch });
  if (standing.uncommitted) throw new AppError('uncommitted_changes', { repo_name });
  const { head, behind, ahead } = standing;
  const onto = standing.target.commit;
  if (behind === 0) return { outcome: 'up_to_date', head, onto, conflict: null };
  const isDone = method === 'merge' ? await mergeIn(git, place, onto, ahead) : await rebaseOnto(git, tree, onto);
  return isDone ? updated(git, place, onto) : conflicting(git, place, sidesOf(workspace, repo, head, standing.target));
}

/** An operation that the agent completed itself counts as completed.
 *  @throws AppError as DeliveryHost.continueUpdate */
export async function continueUpdate(git: Git, place: Place, begunOnto: string | null): Promise<BranchUpdate> {
  const { workspace, repo, tree } = place;
  const operation = await operationOf(tree.gitDir);
  if (operation === null) return completedByAgent(git, place, begunOnto);
  if (!['merge', 'rebase'].includes(operation.kind)) requireSettled(operation.kind, repo.repo_name);
  const { head, target } = await endsOf(git, place);
  const onto = operation.onto ?? begunOnto ?? target?.commit ?? head;
  const sides = sidesOf(workspace, repo, head, { commit: onto });
  await requireResolved(git, place, operation, sides);
  if (await complete(git, place, operation)) return updated(git, place, onto);
  return conflicting(git, place, sides);
}

/** @throws AppError as DeliveryHost.abortUpdate */
export async function abortUpdate(git: Git, place: Place): Promise<BranchUpdate> {
  const { workspace, repo, tree } = place;
  const env = locationEnvironment(tree);
  const operation = await operationOf(tree.gitDir);
  if (operation === null) throw new AppError('no_operation', { repo_name: repo.repo_name });
  const aborted = await git.run(tree.dir, [...SETTINGS, ...ABORT[operation.kind]], { env, accept: [0, 1, 128] });
  // Aborting a merge keeps changes made after staging, but they are to be discarded.
  if (aborted.exitCode !== 0 && operation.kind === 'merge') {
    await git.run(tree.dir, ['reset', '--hard', '--quiet', 'HEAD'], { env, timeoutMs: TIMEOUT_MS });
  }
  await requireOnBranch(git, workspace, tree);
  if (aborted.exitCode !== 0 && operation.kind === 'rebase') await dropUnbegunRebase(tree);
  if ((await operationOf(tree.gitDir)) !== null) requireSettled(operation.kind, repo.repo_name);
  const { head } = await endsOf(git, place);
  return { outcome: 'up_to_date', head, onto: operation.onto ?? head, conflict: null };
}

/** Removes the state of a rebase that a full disk cut short, which git cannot read; HEAD is still on the branch. */
async function dropUnbegunRebase({ gitDir }: Tree): Promise<void> {
  for (const folder of ['rebase-merge', 'rebase-apply'])
    await rm(path.join(gitDir, folder), { recursive: true, force: true });
}

/** @returns false if it stopped at a conflict. @throws GitError */
export async function rebaseOnto(git: Git, tree: Tree, onto: string): Promise<boolean> {
  const env = locationEnvironment(tree);
  const base = await git.text(tree.dir, ['merge-base', onto, 'HEAD'], { env });
  const args = [...SETTINGS, 'rebase', '--no-autostash', '--onto', onto, base];
  return succeeds(git, tree, args);
}

/** A branch without own commits is fast-forwarded. */
function mergeIn(git: Git, { workspace, repo, tree }: Place, onto: string, ahead: number): Promise<boolean> {
  const message = `Merge ${repo.target_branch} into ${workspace.branch}`;
  const ff = ahead === 0 ? '--ff' : '--no-ff';
  return succeeds(git, tree, [...SETTINGS, 'merge', '--quiet', ff, '--no-edit', '--no-verify', '-m', message, onto]);
}

function complete(git: Git, { tree }: Place, { kind }: Operation): Promise<boolean> {
  const done = kind === 'rebase' ? ['rebase', '--continue'] : ['commit', '--quiet', '--no-edit', '--no-verify'];
  return succeeds(git, tree, [...SETTINGS, ...done]);
}

/** Exit code 1 with an operation left is a conflict; without one it is a refusal. */
async function succeeds(git: Git, tree: Tree, args: string[]): Promise<boolean> {
  const options = { env: locationEnvironment(tree), timeoutMs: TIMEOUT_MS };
  const { exitCode } = await git.run(tree.dir, args, { ...options, accept: [0, 1] });
  if (exitCode === 0) return true;
  if ((await operationOf(tree.gitDir)) !== null) return false;
  await git.run(tree.dir, args, options); // throws with the reason
  return true;
}

async function completedByAgent(git: Git, place: Place, onto: string | null): Promise<BranchUpdate> {
  const { repo, tree } = place;
  const isTakenIn = onto !== null && (await isAncestor(git, tree.dir, onto, 'HEAD', locationEnvironment(tree)));
  if (!isTakenIn) throw new AppError('no_operation', { repo_name: repo.repo_name });
  const markers = await filesWithMarkers(git, tree, onto);
  if (markers.length > 0) throw unresolved(repo, [], markers);
  return updated(git, place, onto);
}

/** Everything in the worktree counts as part of the resolution. */
async function requireResolved(git: Git, { repo, tree }: Place, operation: Operation, sides: Sides): Promise<void> {
  const { files } = await reportOperation(git, tree, operation, sides);
  const open = files.filter(({ resolved }) => !resolved).map(({ path }) => path);
  const markers = await filesWithMarkers(git, tree);
  if (open.length > 0 || markers.length > 0) throw unresolved(repo, open, markers);
  await stageWork(git, tree.dir, locationEnvironment(tree));
}

const unresolved = ({ repo_name }: WorkspaceRepo, files: string[], markers: string[]): AppError =>
  new AppError('conflicts_unresolved', {
    repo_name,
    files,
    markers: markers.map((name) => `${repo_name}/${name}`),
    unresolved: [...new Set([...files, ...markers.map((name) => `${repo_name}/${name}`)])],
  });

function requireSettled(operation: OperationKind | null, repo_name: string): void {
  if (operation !== null)
    throw new AppError('operation_in_progress', { repo_name, operation, action: ['continue', 'abort'] });
}

async function requireOnBranch(git: Git, { branch }: Workspace, tree: Tree): Promise<void> {
  if ((await symbolicRefOf(git, tree)) !== `refs/heads/${branch}`)
    throw new AppError('branch_left', { repo_name: tree.repo_name, workspace_branch: branch });
}

const symbolicRefOf = (git: Git, tree: Tree): Promise<string | null> =>
  symbolicRef(git, tree.dir, 'HEAD', locationEnvironment(tree));

async function updated(git: Git, { workspace, tree }: Place, onto: string): Promise<BranchUpdate> {
  await requireOnBranch(git, workspace, tree);
  const head = (await commitOf(git, tree.dir, 'HEAD', locationEnvironment(tree))) ?? onto;
  return { outcome: 'updated', head, onto, conflict: null };
}

async function conflicting(git: Git, { tree }: Place, sides: Sides): Promise<BranchUpdate> {
  const operation = await operationOf(tree.gitDir);
  const conflict = operation && (await reportOperation(git, tree, operation, sides));
  return { outcome: 'conflict', head: sides.source.commit, onto: sides.target.commit, conflict };
}
