import type { Git } from '../git/git.js';
import { FairLimit, KeyedLimit } from '../git/limits.js';
import type { Sandbox } from '../platform/sandbox/sandbox.js';
import { AppError } from '../platform/errors/app-error.js';
import { InsideGit } from './inside-git.js';
import { LargeFiles } from './large-files.js';
import { RemoteSaves } from './remote-saves.js';
import type { Remotes } from './remotes.js';
import { Stores } from './stores.js';
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

const FILLS_AT_ONCE = 3;
/** So that a repository whose filters hang does not block the others. */
const FILLS_OF_ONE_REPOSITORY = 2;

export function workspaceTools(
  git: Git,
  paths: WorkspacePaths,
  remotes: Remotes,
  { owner, sandbox }: { owner: string; sandbox: Sandbox },
): WorkspaceTools {
  const stores = new Stores(git, paths);
  const inside = new InsideGit(sandbox, git, stores);
  const largeFiles = new LargeFiles(git, inside);
  const saves = new RemoteSaves(git, remotes, largeFiles);
  const fills = new FairLimit(FILLS_AT_ONCE, FILLS_OF_ONE_REPOSITORY);
  return { git, inside, stores, paths, remotes, largeFiles, saves, owner, repositories: new KeyedLimit(), fills };
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
