import type { Git } from '../platform/git/git.js';
import type { FairLimit } from '../platform/git/fair-limit.js';
import type { KeyedLimit } from '../platform/git/keyed-limit.js';
import type { RemoteSaves } from './remote-saves.js';
import type { Remotes } from './remotes.js';
import type { WorkspacePaths } from './workspace-paths.js';

export interface WorkspaceTools {
  git: Git;
  paths: WorkspacePaths;
  remotes: Remotes;
  saves: RemoteSaves;
  /** The runner whose worktrees these are; empty where there is one alone. */
  owner: string;
  /** One writer of a repository at a time, by its common folder: git's own parallel `worktree add` fails. */
  repositories: KeyedLimit;
  /** How many trees are filled at once, and of one repository; more only fight for the disk. */
  fills: FairLimit;
}
