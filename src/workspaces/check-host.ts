import type { Workspace } from './workspace-paths.js';

export interface CheckSubject {
  repo_name: string;
  /** Tip of the attempt's branch, with all work of its worktree. */
  head: string;
  /** Tip of the target branch; null where that is gone. */
  target: string | null;
  /** What the work is compared with: the merge base of both, or the target it is merged into; null where they have
   *  nothing in common. */
  base: string | null;
  /** Result of a merge into the target; null where the head itself is checked. */
  merged: string | null;
  /** Paths that the work touches; null where that is not known. */
  paths: string[] | null;
  /** Why the work is not all on the branch, or null. */
  problem: string | null;
}

export interface SubjectOptions {
  /** Of a commit of uncommitted work. */
  message: string;
  /** Whether what a merge would leave is checked, instead of the branch. */
  isMerged: boolean;
}

export interface WantedCheckout {
  /** Of the folder, unique. */
  id: string;
  repo_name: string;
  commit: string;
}

export interface CheckoutFolder {
  dir: string;
  /** What git in there borrows from. */
  readable: string[];
}

/** What checks need of the home of an attempt. */
export interface CheckHost {
  /** What checks are about, once uncommitted work is committed. Only while no execution of the attempt writes.
   *  @throws AppError workspace_lost, git_failed, storage_full */
  checkSubjects(workspace: Workspace, options: SubjectOptions): Promise<CheckSubject[]>;
  /** A clean checkout of a commit that the attempt has, in a folder of its own.
   *  @throws AppError workspace_lost, git_failed, storage_full */
  checkOut(workspace: Workspace, wanted: WantedCheckout): Promise<CheckoutFolder>;
  discardCheckout(id: string): Promise<void>;
}
