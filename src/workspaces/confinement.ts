import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../platform/git/git.js';
import { ifThere } from '../platform/git/if-there.js';
import type { Confinement } from '../platform/sandbox/sandbox.js';
import { submoduleSettings } from './submodule-settings.js';
import { presentTrees } from './trees.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** What git must write of a repository that several worktrees share; never its hooks, configuration or attributes. */
const WRITTEN = ['objects', 'refs', 'logs', 'lfs'];
/** Not to be written, nor made: a repository borrows objects from wherever this points. */
const KEPT = 'objects/info';
/** No run can make them: a bare clone has no logs yet, and a commit in its worktree writes one. */
const MADE = [KEPT, 'logs'];
/** A repository may borrow from one that borrows itself; git follows five. */
const MAX_LENDERS = 5;

/** The attempt's own folder, and of its repositories what a commit touches. A worktree whose pointer was changed has
 *  none of it. */
export async function confinementOf(git: Git, paths: WorkspacePaths, workspace: Workspace): Promise<Confinement> {
  const trees = await presentTrees(git, paths, workspace);
  const common = trees.map((tree) => tree.common);
  const made = common.flatMap((folder) => MADE.map((name) => path.join(folder, name)));
  await Promise.all(made.map((folder) => mkdir(folder, { recursive: true })));
  const borrowed = await Promise.all(common.map((folder) => lendersOf(path.join(folder, 'objects'))));
  return {
    writable: [
      paths.attempt(workspace.attempt_id),
      ...trees.map(({ gitDir }) => gitDir),
      ...common.flatMap((folder) => WRITTEN.map((name) => path.join(folder, name))),
    ],
    environment: await submoduleSettings(git, trees),
    readable: [...common, ...common.map((folder) => path.join(folder, KEPT)), ...borrowed.flat()],
  };
}

/** Object folders of other repositories, which git reads as if they were in this one. */
async function lendersOf(objects: string, depth = 1): Promise<string[]> {
  const text = (await ifThere(readFile(path.join(objects, 'info/alternates'), 'utf8'))) ?? '';
  const lenders = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => path.resolve(objects, line));
  const others = depth < MAX_LENDERS ? lenders.map((lender) => lendersOf(lender, depth + 1)) : [];
  return [...lenders, ...(await Promise.all(others)).flat()];
}
