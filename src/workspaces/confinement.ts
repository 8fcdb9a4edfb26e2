import path from 'node:path';
import type { Git } from '../platform/git/git.js';
import type { Confinement } from '../platform/sandbox/sandbox.js';
import { presentTrees } from './trees.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** What git must write of a repository that several worktrees share; never its hooks, configuration or attributes. */
const WRITTEN = ['objects', 'refs', 'logs'];

/** The attempt's own folder, and of its repositories what a commit touches. A worktree whose pointer was changed has
 *  none of it. */
export async function confinementOf(git: Git, paths: WorkspacePaths, workspace: Workspace): Promise<Confinement> {
  const trees = await presentTrees(git, paths, workspace);
  const common = trees.map((tree) => tree.common);
  const shared = common.flatMap((folder) => WRITTEN.map((name) => path.join(folder, name)));
  const own = trees.map(({ gitDir }) => gitDir);
  return { writable: [paths.attempt(workspace.attempt_id), ...own, ...shared], readable: common };
}
