import type { ConflictKind, SideChange } from '../git/conflicts.js';
import type { Checkout, Landing } from '../git/landing.js';
import type { OperationKind } from '../git/git-dir-state.js';
import type { Workspace } from './workspace-paths.js';

/** The part of the port that brings an attempt's work to its target branch. Commits are full ids. */
export const updateMethods = ['merge', 'rebase'] as const;
export type UpdateMethod = (typeof updateMethods)[number];
export const mergeStrategies = ['squash', 'merge', 'ff', 'rebase'] as const;
export type MergeStrategy = (typeof mergeStrategies)[number];

/** Files of one conflict that are listed; the count says how many there are. */
export const maxConflictFiles = 100;

export interface ConflictFile {
  /** `<repo_name>/<path>`. */
  path: string;
  kind: ConflictKind;
  other_paths: string[];
  /** What the attempt did. */
  ours: SideChange;
  /** What the target did. */
  theirs: SideChange;
  resolved: boolean;
  has_markers: boolean;
  reason: string | null;
}

/** Conflicts that a merge would have, or that are in the worktree. */
export interface ConflictReport {
  repo_name: string;
  /** Operation in progress in the worktree; null for a preview. */
  operation: OperationKind | null;
  source: { branch: string; commit: string };
  target: { branch: string; commit: string };
  base_commit: string | null;
  step: { done: number; total: number; commit: string; title: string } | null;
  file_count: number;
  truncated: boolean;
  files: ConflictFile[];
  /** Command that completes the operation once everything is resolved. */
  finish: string | null;
}

export interface TargetTip {
  /** Null where the branch is gone. */
  tip: string | null;
  holds: boolean;
}

/** How one repository of an attempt compares with its target. */
export interface RepoStanding {
  repo_name: string;
  branch: string;
  /** Tip of the attempt's branch. */
  head: string;
  /** HEAD of the worktree is on the branch, or will be after a rebase in progress. */
  is_on_branch: boolean;
  target_branch: string;
  /** Null where the branch is gone. */
  target: TargetPlace | null;
  /** Why the target could not be fetched and is shown as of the last fetch. */
  fetch_error: string | null;
  ahead: number;
  behind: number;
  uncommitted: boolean;
  /** Tree of the branch with the uncommitted work; null where that is too large for a look. */
  content: string | null;
  /** The merge, uncommitted work included; null if there is nothing to preview. */
  preview: { tree: string | null; conflict: ConflictReport | null } | null;
  /** The two sides have no commit in common. */
  is_unrelated: boolean;
  /** The target contains all of the work, by commits or by content. */
  is_contained: boolean;
  operation: { report: ConflictReport; onto: string | null; unresolved: number } | null;
}

export interface TargetPlace {
  commit: string;
  /** Remote that holds the branch; null for a local branch. */
  remote: string | null;
  /** Name of the branch where it is. */
  branch: string;
}

/** must: throws if it fails; try: shows what is known; anew: the same, even just after a fetch; no: as of the last
 *  fetch. */
export type Fetching = 'must' | 'anew' | 'try' | 'no';

export interface LandingWork {
  repo_name: string;
  strategy: MergeStrategy;
  source_commit: string;
  target_commit: string;
  /** Result of the preview. */
  tree: string;
  message: string;
}

export interface UpdateWork {
  repo_name: string;
  method: UpdateMethod;
  /** In place of the attempt's own. */
  target_branch?: string;
  /** With which uncommitted work is committed first. */
  message: string;
}

export interface LandingMove {
  repo_name: string;
  from: string;
  to: string;
  with_checkout: boolean;
}

export interface PushWork {
  repo_name: string;
  /** Name of the attempt's branch, here and there. */
  branch: string;
  head: string;
  /** The commit last pushed from here; null if none was. */
  last: string | null;
  /** The remote commit that the caller has read and wants replaced. */
  overwrite: string | null;
}

export interface PushedBranch {
  remote: string;
  branch: string;
  /** Commit of the remote branch before; null if it did not exist. */
  before: string | null;
  commit: string;
}

export interface BranchUpdate {
  outcome: 'updated' | 'up_to_date' | 'conflict';
  head: string;
  /** What was brought in. */
  onto: string;
  conflict: ConflictReport | null;
}

/** Uncommitted work of these repositories becomes a commit. */
export interface WorkCommit {
  repo_names: readonly string[];
  message: string;
}

export interface DeliveryHost {
  /** Reads everything anew.
   *  @param fetching whether targets are fetched from their remotes before; default no
   *  @param commit comes before the look; without it nothing changes
   *  @throws AppError workspace_lost, git_failed, storage_full, remote_unreachable, remote_auth_failed,
   *  remote_not_found */
  standing(workspace: Workspace, fetching?: Fetching, commit?: WorkCommit): Promise<RepoStanding[]>;
  /** Whether a merge would conflict, as of the last fetch. @throws AppError workspace_lost, git_failed, storage_full */
  wouldConflict(workspace: Workspace): Promise<boolean>;
  /** Tips of the attempt's branch, in the order of the repositories. @throws AppError workspace_lost, git_failed */
  heads(workspace: Workspace): Promise<{ repo_name: string; head: string }[]>;
  /** Makes the commit to land; no branch of the user moves. A rebase moves the attempt's own branch, or leaves it as it
   *  was if there is a conflict.
   *  @throws AppError merge_conflict, strategy_not_possible, git_failed, storage_full */
  makeLanding(workspace: Workspace, work: LandingWork): Promise<string>;
  /** Where the local branch with the name of the target is checked out, or null. @throws AppError git_failed */
  checkout(workspace: Workspace, repo_name: string): Promise<Checkout | null>;
  /** Pushes the branch of the attempt, by a lease. @throws AppError no_remote, foreign_head, push_rejected,
   *  remote_refused, remote_unreachable, remote_auth_failed, remote_not_found, repo_locked, git_failed, storage_full */
  push(workspace: Workspace, work: PushWork): Promise<PushedBranch>;
  /** The remote that the attempt's branch is pushed to. Its URL may contain a password.
   *  @throws AppError no_remote, git_failed */
  remoteOf(workspace: Workspace, repo_name: string): Promise<{ remote: string; url: string }>;
  /** The attempt's branch as its remote has it now, or null. @throws AppError no_remote, remote_unreachable,
   *  remote_auth_failed, remote_not_found, git_failed */
  pushedBranch(workspace: Workspace, repo_name: string): Promise<{ remote: string; commit: string } | null>;
  /** Moves the target, here or on its remote, or says why not. @throws AppError branch_unknown, git_failed,
   *  remote_refused, remote_unreachable, remote_auth_failed, remote_not_found */
  land(workspace: Workspace, move: LandingMove): Promise<Landing>;
  /** Where the target is now and whether it contains that commit, to settle an interrupted landing.
   *  @throws AppError remote_unreachable, remote_auth_failed, remote_not_found, git_failed */
  targetTip(workspace: Workspace, repo_name: string, commit: string): Promise<TargetTip>;
  /** Moves the attempt's branch to what has landed, so that it can be worked on and merged again. Does nothing if
   *  uncommitted work is in the way. @returns the tip of the branch */
  anchor(workspace: Workspace, repo_name: string, commit: string): Promise<string>;
  /** Brings the target into the branch; conflicts stay in the worktree. @throws AppError branch_unknown,
   *  operation_in_progress, branch_left, unrelated_histories, git_failed, storage_full */
  updateBranch(workspace: Workspace, options: UpdateWork): Promise<BranchUpdate>;
  /** @param options `onto`: what the update brings in, if its start is known
   *  @throws AppError no_operation, conflicts_unresolved, branch_left, git_failed, storage_full */
  continueUpdate(workspace: Workspace, options: { repo_name: string; onto: string | null }): Promise<BranchUpdate>;
  /** Restores the branch as it was before the update, whatever was resolved. @throws AppError no_operation,
   *  branch_left */
  abortUpdate(workspace: Workspace, repo_name: string): Promise<BranchUpdate>;
  /** Renames the branch in every repository or in none, and moves the worktrees to it. @throws AppError branch_taken,
   *  invalid_argument */
  renameBranch(workspace: Workspace, branch: string): Promise<void>;
}
