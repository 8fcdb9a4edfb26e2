import type { GitOptions } from './git.js';

/** How one remote is reached: where it is, and what git may do and know to get there. */
export interface RemoteLink {
  repo_name: string;
  /** Name of the remote in the repository. */
  remote: string;
  /** Without anything secret. The remote is called by it, so that no program that the repository's own configuration
   *  names for the remote is run, and no tracking ref moves. */
  url: string;
  /** Programs on the other side, where that is this machine. */
  programs: { upload: string[]; receive: string[] };
  options: Pick<GitOptions, 'env' | 'secret' | 'timeoutMs' | 'readsNoFiles'>;
}

/** What a host takes in place of a password. */
export interface RemoteCredential {
  username: string;
  password: string;
}

/** Credentials of this server by the origin of a host (`https://git.example.com`), for one repository of it; null where
 *  it has none, so that those of the user apply. */
export interface RemoteCredentials {
  find(origin: string, repo_path: string): Promise<RemoteCredential | null>;
}

export const REMOTE_CREDENTIALS = Symbol('RemoteCredentials');
