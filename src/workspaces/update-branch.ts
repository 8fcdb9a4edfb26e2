import { AppError } from '../platform/errors/app-error.js';
import type { OperationKind } from '../git/git-dir-state.js';
import { isAncestor } from '../git/refs.js';
import { filesWithMarkers, reportOperation, type Sides } from './conflict-report.js';
import type { BranchUpdate, UpdateWork } from './delivery-host.js';
import { CLEAR, STAGE_ALL } from './inside-scripts.js';
import { type Look, lookAt, type Lookout } from './look.js';
import { endsOf, type Place, sidesOf, standingOf } from './standing.js';
import { tipOf } from './stores.js';
import { branchUnknown, type Tree } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-host.js';
import type { WorkspaceTools } from './workspace-tools.js';

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
export async function startUpdate(
  tools: WorkspaceTools,
  place: Place,
  { method, message }: UpdateWork,
): Promise<BranchUpdate> {
  const { workspace, repo, tree } = place;
  const { repo_name, target_branch } = repo;
  const standing = await standingOf(tools, place);
  requireSettled(standing.look.operation?.kind ?? null, repo_name);
  if (!standing.is_on_branch) throw new AppError('branch_left', { repo_name, workspace_branch: workspace.branch });
  if (standing.target === null) throw await branchUnknown(tools.git, repo);
  if (standing.is_unrelated) throw new AppError('unrelated_histories', { repo_name, target_branch });
  const onto = standing.target.commit;
  if (standing.behind === 0) return { outcome: 'up_to_date', head: standing.head, onto, conflict: null };
  const { head, ahead } = standing.uncommitted ? await standingOf(tools, place, message) : standing;
  await tools.stores.move(tree.store, 'updating', onto);
  const look = await (method === 'merge' ? mergeIn(tools, place, onto, ahead) : rebaseOnto(tools, tree, head, onto));
  return outcome(tools, place, look, sidesOf(workspace, repo, head, standing.target));
}

/** An operation that the agent completed itself counts as completed; one that this server did not begin is nobody's to
 *  continue, for a rebase may run whatever stands in its list.
 *  @throws AppError as DeliveryHost.continueUpdate */
export async function continueUpdate(tools: Lookout, place: Place, begunOnto: string | null): Promise<BranchUpdate> {
  const { workspace, repo, tree } = place;
  const { repo_name } = repo;
  const look = await lookAt(tools, tree, 'refs');
  const { operation } = look;
  if (operation === null) return completedByAgent(tools, place, look, begunOnto);
  const ours = await tipOf(tree.store, 'updating');
  if (!['merge', 'rebase'].includes(operation.kind)) requireSettled(operation.kind, repo_name);
  if (ours === null || operation.onto !== ours || look.hasCommands)
    throw new AppError('operation_foreign', { repo_name, operation: operation.kind });
  const { head } = await endsOf(tools.git, place, look);
  const sides = sidesOf(workspace, repo, head, { commit: ours });
  await requireResolved(tools, place, look, sides);
  return outcome(tools, place, await complete(tools, tree, operation.kind), sides);
}

/** @throws AppError as DeliveryHost.abortUpdate */
export async function abortUpdate(tools: Lookout, place: Place): Promise<BranchUpdate> {
  const { workspace, repo, tree } = place;
  const git = tools.inside.working(tree);
  const { operation } = await lookAt(tools, tree, 'refs');
  if (operation === null) throw new AppError('no_operation', { repo_name: repo.repo_name });
  const aborted = await git.run(tree.dir, [...SETTINGS, ...ABORT[operation.kind]], { accept: [0, 1, 128] });
  // Aborting a merge keeps changes made after staging, but they are to be discarded.
  if (aborted.exitCode !== 0 && operation.kind === 'merge')
    await git.run(tree.dir, ['reset', '--hard', '--quiet', 'HEAD'], { timeoutMs: TIMEOUT_MS });
  // The state of a rebase that a full disk cut short, which git cannot read; HEAD is still on the branch.
  if (aborted.exitCode !== 0 && operation.kind === 'rebase')
    await tools.inside.run(tree, { target: 'own', script: CLEAR });
  const look = await lookAt(tools, tree, 'refs');
  requireOnBranch(workspace, tree, look);
  requireSettled(look.operation?.kind ?? null, repo.repo_name);
  await tools.stores.move(tree.store, 'updating', null);
  const { head } = await endsOf(tools.git, place, look);
  return { outcome: 'up_to_date', head, onto: operation.onto ?? head, conflict: null };
}

/** @returns as `after`. @throws GitError */
export async function rebaseOnto(tools: Lookout, tree: Tree, head: string, onto: string): Promise<Look> {
  const base = await tools.git.text(tree.store, ['merge-base', onto, head]);
  return after(tools, tree, [...SETTINGS, 'rebase', '--no-autostash', '--onto', onto, base]);
}

/** A branch without own commits is fast-forwarded. */
function mergeIn(tools: Lookout, { workspace, repo, tree }: Place, onto: string, ahead: number): Promise<Look> {
  const message = `Merge ${repo.target_branch} into ${workspace.branch}`;
  const ff = ahead === 0 ? '--ff' : '--no-ff';
  return after(tools, tree, [...SETTINGS, 'merge', '--quiet', ff, '--no-edit', '--no-verify', '-m', message, onto]);
}

function complete(tools: Lookout, tree: Tree, kind: OperationKind): Promise<Look> {
  const done = kind === 'rebase' ? ['rebase', '--continue'] : ['commit', '--quiet', '--no-edit', '--no-verify'];
  return after(tools, tree, [...SETTINGS, ...done]);
}

/** @returns how the worktree stands after a command that may stop at a conflict, with exit code 1 and an operation;
 *  without one git has refused. @throws GitError */
async function after(tools: Lookout, tree: Tree, args: string[]): Promise<Look> {
  const first = { args: ['git', ...args], accept: [0, 1] };
  const look = await lookAt(tools, tree, 'refs', { first });
  if (look.exitCode === 0 || look.operation !== null) return look;
  await tools.inside.working(tree).run(tree.dir, args, { timeoutMs: TIMEOUT_MS }); // throws with the reason
  return lookAt(tools, tree, 'refs');
}

async function completedByAgent(tools: Lookout, place: Place, look: Look, onto: string | null): Promise<BranchUpdate> {
  const { repo, tree } = place;
  const { tip } = look;
  const isTakenIn = onto !== null && tip !== null && (await isAncestor(tools.git, tree.store, onto, tip));
  if (!isTakenIn) throw new AppError('no_operation', { repo_name: repo.repo_name });
  const markers = await filesWithMarkers(tools, tree, onto);
  if (markers.length > 0) throw unresolved(repo, [], markers);
  return updated(tools, place, look, onto);
}

/** Everything in the worktree counts as part of the resolution. */
async function requireResolved(tools: Lookout, { repo, tree }: Place, look: Look, sides: Sides): Promise<void> {
  const { files } = await reportOperation(tools, tree, { operation: look.operation!, tip: look.tip }, sides);
  const open = files.filter(({ resolved }) => !resolved).map(({ path }) => path);
  const markers = await filesWithMarkers(tools, tree);
  if (open.length > 0 || markers.length > 0) throw unresolved(repo, open, markers);
  await tools.inside.run(tree, { target: 'own', script: STAGE_ALL, options: { timeoutMs: TIMEOUT_MS } });
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

function requireOnBranch({ branch }: Workspace, { repo_name }: Tree, { isOnBranch }: Look): void {
  if (!isOnBranch) throw new AppError('branch_left', { repo_name, workspace_branch: branch });
}

async function outcome(tools: Lookout, place: Place, look: Look, sides: Sides): Promise<BranchUpdate> {
  if (look.exitCode === 0) return updated(tools, place, look, sides.target.commit);
  const { operation, tip } = look;
  const conflict = operation && (await reportOperation(tools, place.tree, { operation, tip }, sides));
  return { outcome: 'conflict', head: sides.source.commit, onto: sides.target.commit, conflict };
}

async function updated(tools: Lookout, { workspace, tree }: Place, look: Look, onto: string): Promise<BranchUpdate> {
  requireOnBranch(workspace, tree, look);
  await tools.stores.move(tree.store, 'updating', null);
  return { outcome: 'updated', head: look.head ?? onto, onto, conflict: null };
}
