import type { ConflictKind, SideChange } from '../platform/git/conflicts.js';
import type { Checkout, Landing } from '../platform/git/landing.js';
import type { OperationKind } from '../platform/git/operation-state.js';
import type { Workspace } from './workspace.js';

/** The part of the port that brings an attempt's work to its target branch. Commits are full ids. */
export const updateMethods = ['merge', 'rebase'] as const;
export type UpdateMethod = (typeof updateMethods)[number];
export const mergeStrategies = ['squash', 'merge', 'ff', 'rebase'] as const;
export type MergeStrategy = (typeof mergeStrategies)[number];

/** Files of one conflict that are listed; the count says how many there are. */
export const maxConflictFiles = 200;

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

/** A conflict that a merge would meet, or one that stands in the worktree. */
export interface ConflictReport {
  repo_name: string;
  /** What the worktree is in the midst of; null for a preview. */
  operation: OperationKind | null;
  source: { branch: string; commit: string };
  target: { branch: string; commit: string };
  base_commit: string | null;
  step: { done: number; total: number; commit: string; title: string } | null;
  file_count: number;
  truncated: boolean;
  files: ConflictFile[];
  /** Command that completes the operation in the worktree once everything is resolved. */
  finish: string | null;
}

/** Where one repository of an attempt stands to its target. */
export interface RepoStanding {
  repo_name: string;
  branch: string;
  /** Tip of the attempt's branch. */
  head: string;
  /** HEAD of the worktree is on the branch, or a rebase will bring it back there. */
  is_on_branch: boolean;
  target_branch: string;
  /** Null where the branch is gone. */
  target: TargetPlace | null;
  /** Why the target could not be fetched; it is shown as it was at the last fetch. */
  fetch_error: string | null;
  ahead: number;
  behind: number;
  uncommitted: boolean;
  /** The merge, uncommitted work included; null where there is none to look at. */
  preview: { tree: string | null; conflict: ConflictReport | null } | null;
  /** The two sides have no commit in common. */
  is_unrelated: boolean;
  /** The target holds all of the work: by its commits, or by what its files say. */
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

/** must: a failure is thrown; try: what is known is shown; anew: the same, however short ago the last fetch was; no: as
 *  of the last fetch. */
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
  /** The commit that was pushed from here last; null where none was. */
  last: string | null;
  /** The commit there that the caller has read and wants replaced. */
  overwrite: string | null;
}

export interface PushedBranch {
  remote: string;
  branch: string;
  /** What the branch was at there; null where it was not. */
  before: string | null;
  commit: string;
}

export interface BranchUpdate {
  outcome: 'updated' | 'up_to_date' | 'conflict';
  head: string;
  /** What was taken in. */
  onto: string;
  conflict: ConflictReport | null;
}

export interface DeliveryHost {
  /** Reads everything afresh and changes nothing.
   *  @param fetching whether targets are fetched from their remotes before; default no
   *  @param committed repositories in which the caller has just committed everything: nothing more is looked for
   *  @throws AppError workspace_lost, git_failed, remote_unreachable, remote_auth_failed, remote_not_found */
  standing(workspace: Workspace, fetching?: Fetching, committed?: readonly string[]): Promise<RepoStanding[]>;
  /** Tips of the attempt's branch, in the order of the repositories. @throws AppError workspace_lost, git_failed */
  heads(workspace: Workspace): Promise<{ repo_name: string; head: string }[]>;
  /** Makes the commit that is to land; no branch of the user moves. A rebase moves the attempt's own branch, and leaves
   *  it as it was where it meets a conflict.
   *  @throws AppError merge_conflict, strategy_not_possible, git_failed, storage_full */
  makeLanding(workspace: Workspace, work: LandingWork): Promise<string>;
  /** Where the branch here that has the name of the target is checked out, or null. @throws AppError git_failed */
  checkout(workspace: Workspace, repo_name: string): Promise<Checkout | null>;
  /** Pushes the branch of the attempt, by a lease. @throws AppError no_remote, foreign_head, push_rejected,
   *  remote_refused, remote_unreachable, remote_auth_failed, remote_not_found, repo_locked, git_failed, storage_full */
  push(workspace: Workspace, work: PushWork): Promise<PushedBranch>;
  /** The remote that the attempt's branch is pushed to. Its URL may hold a password: it is not for others to see.
   *  @throws AppError no_remote, git_failed */
  remoteOf(workspace: Workspace, repo_name: string): Promise<{ remote: string; url: string }>;
  /** The attempt's branch as its remote has it now, or null. @throws AppError no_remote, remote_unreachable,
   *  remote_auth_failed, remote_not_found, git_failed */
  pushedBranch(workspace: Workspace, repo_name: string): Promise<{ remote: string; commit: string } | null>;
  /** Moves the target, here or on its remote, or says why not. @throws AppError branch_unknown, git_failed,
   *  remote_refused, remote_unreachable, remote_auth_failed, remote_not_found */
  land(workspace: Workspace, move: LandingMove): Promise<Landing>;
  /** Whether the target holds that commit now: what became of a landing that was cut short. */
  holds(workspace: Workspace, repo_name: string, commit: string): Promise<boolean>;
  /** Puts the attempt's branch on what has landed, so that it can be worked on and merged again. Where uncommitted work
   *  stands in the way it stays. @returns the tip of the branch */
  anchor(workspace: Workspace, repo_name: string, commit: string): Promise<string>;
  /** Takes the target into the branch; a conflict stays in the worktree. @param options `target_branch` in place of the
   *  attempt's own. @throws AppError branch_unknown, operation_in_progress, uncommitted_changes, branch_left,
   *  unrelated_histories, git_failed, storage_full */
  updateBranch(
    workspace: Workspace,
    options: { repo_name: string; method: UpdateMethod; target_branch?: string },
  ): Promise<BranchUpdate>;
  /** @param options `onto`: what the update takes in, where its start is known
   *  @throws AppError no_operation, conflicts_unresolved, branch_left, git_failed, storage_full */
  continueUpdate(workspace: Workspace, options: { repo_name: string; onto: string | null }): Promise<BranchUpdate>;
  /** The branch is as it was before the start, whatever was resolved. @throws AppError no_operation, branch_left */
  abortUpdate(workspace: Workspace, repo_name: string): Promise<BranchUpdate>;
  /** In every repository or in none; the worktrees follow. @throws AppError branch_taken, invalid_argument */
  renameBranch(workspace: Workspace, branch: string): Promise<void>;
}
