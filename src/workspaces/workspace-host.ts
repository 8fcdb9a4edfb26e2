import { isBranchName } from '../git/branch-name.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import type { Confinement } from '../platform/sandbox/sandbox.js';
import type { ArtifactHost } from './artifact-host.js';
import type { CheckHost } from './check-host.js';
import type { DeliveryHost } from './delivery-host.js';
import type { Inheritance, RemoteSave, RepositorySnapshot, SnapshotOptions } from './saved-work.js';
import type { Workspace, WorkspaceRepo } from './workspace-paths.js';

export type { Workspace, WorkspaceRepo } from './workspace-paths.js';

export interface RepositoryFacts {
  root: string;
  default_branch: string;
}

export interface WantedBranch {
  repo_name: string;
  branch: string;
}

/** Everything on disk goes through this interface, with plain data: a call in one process, in a cluster a request to
 *  the home of the attempt. It knows git and files, and no records. */
export interface WorkspaceHost extends ArtifactHost, DeliveryHost, CheckHost {
  /** @throws AppError repo_invalid with the reason: no such folder, no repository, no commit. */
  inspect(path: string): Promise<RepositoryFacts>;
  /** Clones by URL below DATA_DIR/repos, without a checkout; fails if a wanted branch is missing.
   *  @throws AppError repo_invalid, branch_unknown, storage_full */
  clone(url: string, repo_id: string, wanted?: WantedBranch | null): Promise<RepositoryFacts>;

  /** Ids of the repositories that are cloned here. */
  listClones(): Promise<string[]>;

  /** Removes a clone without worktrees. */
  discardClone(repo_id: string): Promise<void>;
  /** Local branches, or those of origin for a clone: the current one first, then by name, at most `limit`.
   *  @throws AppError git_failed */
  branches(repo_path: string, limit: number): Promise<string[]>;
  /** Whether `prepare` would accept it: a local branch, `origin/x`, or x of origin.
   *  @throws AppError git_failed; repo_invalid where REPOSITORY_ROOTS no longer allows the repository */
  branchExists(repo_path: string, branch: string): Promise<boolean>;
  /** Creates branch and worktree in every repository, or in none, and returns the base commits. Repeatable, even after
   *  `dispose`: the worktree comes back from its branch. Only while no execution of the attempt is live, because stale
   *  locks are removed. @throws AppError branch_unknown, repo_invalid, repo_locked, git_failed, storage_full;
   *  workspace_lost when a worktree that was once prepared is damaged, or gone together with its branch */
  prepare(workspace: Workspace): Promise<Record<string, string>>;
  /** Where agents work: the worktree of a single repository, else the folder that contains all. */
  workingDirectory(workspace: Workspace): string;
  /** Worktree of one repository, where its scripts run. */
  repositoryDirectory(workspace: Workspace, repo_name: string): string;
  /** What belongs to the attempt alone: its worktrees, and what its agents keep, which is made by who writes it. */
  ownFolders(workspace: Workspace): { work: string; agentState: string };
  /** What agents keep for the attempt, such as conversations, as a packed tar file in base64.
   *  @throws AppError agent_state_missing, agent_state_too_large */
  archiveAgentState(workspace: Workspace): Promise<{ archive: string }>;
  /** What a process of the (prepared) attempt may write and must see. */
  confinement(workspace: Workspace): Promise<Confinement>;
  /** Removes worktrees; uncommitted work is saved under refs/taskyard/saved/<attempt> first. The branch goes too when
   *  asked, unless it holds commits that no other branch has. Repeatable. Where the user's repository is gone there is
   *  nothing to save to. @throws AppError repo_locked, git_failed, storage_full: the worktree stays */
  dispose(workspace: Workspace, options: { deleteBranch: boolean }): Promise<void>;
  /** True when a worktree holds uncommitted or untracked work; a worktree that is gone holds none.
   *  @throws AppError git_failed */
  isDirty(workspace: Workspace): Promise<boolean>;
  /** Like `refresh`, but commits what the worktrees hold to the branch of the attempt. Returns the new commit of each
   *  repository; none where there is nothing to commit, HEAD has left the branch, or a merge is in progress.
   *  @throws AppError git_failed, storage_full */
  commit(workspace: Workspace, message: string): Promise<Record<string, string>>;
  /** Called when an execution has ended: removes locks that a killed agent left, refreshes the index, which makes later
   *  reads several times faster, and shows the user where the branch is. @throws AppError git_failed, storage_full */
  refresh(workspace: Workspace): Promise<void>;
  /** Work that repositories elsewhere lack, for each repository in which it has changed. Branches and index stay as
   *  they are. @throws AppError git_failed, storage_full */
  snapshot(workspace: Workspace, options: SnapshotOptions): Promise<RepositorySnapshot[]>;
  /** Removes saved work from the remotes of the repositories. @throws AppError what a call to a remote meets */
  forgetSaves(workspace: Workspace, saves: readonly RemoteSave[] | 'all'): Promise<void>;
  /** Like `prepare`, on a new home.
   *  @throws also AppError workspace_lost when the repository lacks what the saved work builds on */
  rebuild(workspace: Workspace, inheritance: Inheritance): Promise<Record<string, string>>;
  /** Attempts with worktrees on this machine, whatever their home. */
  listAttempts(): Promise<string[]>;
  /** Removes worktrees of an attempt that another runner has continued, after saving them like `dispose`. */
  disposeStray(workspace: Workspace): Promise<void>;
}

export const WORKSPACE_HOST = Symbol('WorkspaceHost');

/** @throws AppError invalid_argument for what git would not take as the name of a branch */
export function requireBranchName(field: string, name: string | undefined): void {
  if (name === undefined || isBranchName(name)) return;
  throw refusal([{ field, message: `"${name}" cannot be the name of a branch` }]);
}

/** For a target branch that the repository does not have: names those that it has. @throws AppError git_failed */
export async function unknownBranch(
  host: Pick<WorkspaceHost, 'branches'>,
  { repo_name, repo_path, target_branch }: Pick<WorkspaceRepo, 'repo_name' | 'repo_path' | 'target_branch'>,
  most: number,
): Promise<AppError> {
  return new AppError('branch_unknown', { repo_name, target_branch, known: await host.branches(repo_path, most) });
}
