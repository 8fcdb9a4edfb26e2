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
  /** Null where there is nothing beyond the base commit. */
  bundle: Buffer | null;
  /** Only what the repository has already is named then. */
  is_too_large: boolean;
  /** The same as long as nothing has changed. */
  fingerprint: string;
}

export interface SnapshotOptions {
  /** Fingerprints of what is saved already, by the name of the repository. */
  known: Readonly<Record<string, string>>;
  maxBytes: number;
}

/** What a home that is gone has left. */
export interface Inheritance {
  /** The runner that was the home until now. */
  from: string;
  snapshots: readonly RepositorySnapshot[];
}
