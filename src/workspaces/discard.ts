import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isOwnFolder } from './trees.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** Takes a folder of ours away at once; a link is taken away itself, what it points to stays.
 *  @returns what is left to remove, or null where there was nothing */
export async function moveToTrash(paths: WorkspacePaths, folder: string): Promise<string | null> {
  const isBelowRoot = folder.startsWith(`${paths.root}/`) && (await isOwnFolder(path.dirname(folder)));
  if (!isBelowRoot) return null;
  const trash = paths.trash();
  return rename(folder, trash).then(() => trash, ignoreMissing);
}

export async function discardFolder(paths: WorkspacePaths, folder: string): Promise<void> {
  const trash = await moveToTrash(paths, folder);
  if (trash !== null) await rm(trash, { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}
