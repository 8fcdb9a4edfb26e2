/** One repository of an attempt, as the host of its worktree needs to know it. */
export interface WorkspaceRepo {
  repo_name: string;
  /** Absolute path of the user's repository, whose checkout is never touched. */
  repo_path: string;
  target_branch: string;
  /** Commit the attempt's branch started from; null until prepared. */
  base_commit: string | null;
}

/** The worktrees of an attempt. */
export interface Workspace {
  attempt_id: string;
  branch: string;
  /** The runner that holds them; null until they are made. */
  home: string | null;
  repos: WorkspaceRepo[];
}
