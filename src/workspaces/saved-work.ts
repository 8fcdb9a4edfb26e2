/** The work of an attempt in one repository: what a worktree is rebuilt from elsewhere. */
export interface RepositorySnapshot {
  repo_name: string;
  /** What the bundle builds on; the repository has it already. */
  base_commit: string;
  /** Tip of the branch. */
  head: string;
  /** Commit of what is not committed, ignored files left out; null where there is nothing. Its second parent, where it
   *  has one, is what the index holds. */
  work: string | null;
  /** Null where there is nothing beyond the base commit, or the remote has it. */
  bundle: Buffer | null;
  /** Folder of refs in the remote of the repository that hold it in place of a bundle. */
  remote: string | null;
  /** Why the remote does not have it, where it was meant to. */
  remote_failure: string | null;
  /** Only what the repository has already is named then. */
  is_too_large: boolean;
  /** The same as long as nothing has changed. */
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
  /** Where a repository has a remote, that holds the work. */
  store: 'database' | 'remote';
}

/** What a home that is gone has left. */
export interface Inheritance {
  /** The runner that was the home until now. */
  from: string;
  snapshots: readonly RepositorySnapshot[];
}
