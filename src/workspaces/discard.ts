import { chmod, readdir, rename, rm } from 'node:fs/promises';
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

/** Removes what `moveToTrash` has left, also where folders are read-only, as module caches are. */
export async function emptyTrash(trash: string | null): Promise<void> {
  if (trash === null) return;
  const remove = () => rm(trash, { recursive: true, force: true });
  try {
    await remove();
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await makeWritable(trash);
    await remove();
  }
}

export async function discardFolder(paths: WorkspacePaths, folder: string): Promise<void> {
  await emptyTrash(await moveToTrash(paths, folder));
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name));
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}
