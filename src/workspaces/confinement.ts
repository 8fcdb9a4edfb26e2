import path from 'node:path';
import type { Git } from '../git/git.js';
import { lendersOf } from '../git/own-repository.js';
import type { Confinement } from '../platform/sandbox/sandbox.js';
import { presentTrees } from './trees.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** A run writes the folder of its attempt, and reads the objects that its repositories borrow. */
export async function confinementOf(git: Git, paths: WorkspacePaths, workspace: Workspace): Promise<Confinement> {
  const trees = await presentTrees(git, paths, workspace);
  const lenders = await Promise.all(trees.map(({ common }) => lendersOf(path.join(common, 'objects'))));
  const readable = trees.flatMap(({ store, common }) => [path.join(store, 'objects'), path.join(common, 'lfs')]);
  return { writable: [paths.attempt(workspace.attempt_id)], readable: [...readable, ...lenders.flat()] };
}
