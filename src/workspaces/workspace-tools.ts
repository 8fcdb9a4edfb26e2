import type { Git } from '../git/git.js';
import type { FairLimit, KeyedLimit } from '../git/limits.js';
import { AppError } from '../platform/errors/app-error.js';
import type { RemoteSaves } from './remote-saves.js';
import type { Remotes } from './remotes.js';
import type { WorkspacePaths } from './workspace-paths.js';

export interface WorkspaceTools {
  git: Git;
  paths: WorkspacePaths;
  remotes: Remotes;
  saves: RemoteSaves;
  /** The runner that owns these worktrees; empty for a single process. */
  owner: string;
  /** One writer of a repository at a time, by its common folder: git's own parallel `worktree add` fails. */
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
