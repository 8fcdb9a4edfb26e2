import type { Git } from '../git/git.js';
import type { FairLimit, KeyedLimit } from '../git/limits.js';
import { AppError } from '../platform/errors/app-error.js';
import type { InsideGit } from './inside-git.js';
import type { LargeFiles } from './large-files.js';
import type { RemoteSaves } from './remote-saves.js';
import type { Remotes } from './remotes.js';
import type { Stores } from './stores.js';
import type { WorkspacePaths } from './workspace-paths.js';

export interface WorkspaceTools {
  /** On repositories of users and on stores. */
  git: Git;
  /** On what runs own. */
  inside: InsideGit;
  stores: Stores;
  paths: WorkspacePaths;
  remotes: Remotes;
  largeFiles: LargeFiles;
  saves: RemoteSaves;
  /** The runner that owns these worktrees; empty for a single process. */
  owner: string;
  /** One writer of a repository at a time, by its common folder. */
  repositories: KeyedLimit;
  /** Limits concurrent checkouts, overall and per repository; more would only compete for the disk. */
  fills: FairLimit;
}

/** Reports a full disk as such, whether git or this process hit it. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw new AppError('storage_full');
    throw error;
  }
}
