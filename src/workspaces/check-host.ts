import type { Workspace } from './workspace-paths.js';

export interface CheckSubject {
  repo_name: string;
  /** Tip of the attempt's branch, with all work of its worktree. */
  head: string;
  /** Tip of the target branch; null where that is gone. */
  target: string | null;
  /** Merge base of both; null where they have nothing in common. */
  base: string | null;
  /** Paths that differ between base and head; null without a base. */
  paths: string[] | null;
  /** Why the work is not all on the branch, or null. */
  problem: string | null;
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
  checkSubjects(workspace: Workspace, message: string): Promise<CheckSubject[]>;
  /** A clean checkout of a commit that the attempt has, in a folder of its own.
   *  @throws AppError workspace_lost, git_failed, storage_full */
  checkOut(workspace: Workspace, wanted: WantedCheckout): Promise<CheckoutFolder>;
  discardCheckout(id: string): Promise<void>;
}
