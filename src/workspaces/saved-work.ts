/** The work of an attempt in one repository, from which its worktree can be rebuilt elsewhere. */
export interface RepositorySnapshot {
  repo_name: string;
  /** What the bundle builds on; the repository has it already. */
  base_commit: string;
  /** Tip of the branch. */
  head: string;
  /** Commit of uncommitted work without ignored files; null if there is none. Its second parent, if any, is the
   *  index. */
  work: string | null;
  /** Null if there is nothing beyond the base commit, or the remote has it. */
  bundle: Buffer | null;
  /** Folder of refs in the remote that replaces the bundle. */
  remote: string | null;
  /** Why saving to the remote failed, or null. */
  remote_failure: string | null;
  /** If true, nothing newer than what the repository already has is named. */
  is_too_large: boolean;
  /** Equal as long as nothing has changed. */
  fingerprint: string;
}

/** One save in the remote of one repository. */
export interface RemoteSave {
  repo_name: string;
  remote: string;
}

export interface SnapshotOptions {
  /** Fingerprints of what is saved already, by the name of the repository. */
  known: Readonly<Record<string, string>>;
  maxBytes: number;
  /** Where work is saved; `remote` falls back to the database if there is no remote. */
  store: 'database' | 'remote';
}

/** What a lost home has left. */
export interface Inheritance {
  /** The runner that was the home until now. */
  from: string;
  snapshots: readonly RepositorySnapshot[];
}
