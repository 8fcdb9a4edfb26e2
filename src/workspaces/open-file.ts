import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../platform/git/if-there.js';
import { touchesGitFolder } from './workspace-paths.js';

export type OpenedFile = FileHandle | 'path_outside_workspace' | 'not_a_file' | 'missing';

/** Opens a regular file whose real path lies in the worktree. The check is made again on what was opened, so that a
 *  link swapped in between check and open gains nothing. Nothing is opened that waits (fifo) or acts (device).
 *  @param inside path below `worktree`, without `..` */
export async function openInside(worktree: string, inside: string): Promise<OpenedFile> {
  const file = await ifThere(realpath(path.join(worktree, inside)));
  if (file === null) return (await leavesByLink(worktree, inside)) ? 'path_outside_workspace' : 'missing';
  if (!contains(worktree, file)) return 'path_outside_workspace';
  const entry = await ifThere(lstat(file));
  if (entry === null) return 'missing';
  return entry.isFile() ? openChecked(worktree, file) : 'not_a_file';
}

async function openChecked(worktree: string, file: string): Promise<OpenedFile> {
  const handle = await ifThere(open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (handle === null) return 'not_a_file';
  const opened = (await ifThere(readlink(`/proc/self/fd/${handle.fd}`))) ?? (await ifThere(realpath(file))) ?? '';
  const isFile = (await handle.stat()).isFile();
  if (isFile && contains(worktree, opened)) return handle;
  await handle.close();
  return isFile ? 'path_outside_workspace' : 'not_a_file';
}

/** The real path of what does not exist: of its nearest folder that does. */
async function leavesByLink(worktree: string, inside: string): Promise<boolean> {
  const parent = path.dirname(inside);
  const folder = await ifThere(realpath(path.join(worktree, parent)));
  if (folder !== null) return !contains(worktree, folder);
  return parent !== '.' && leavesByLink(worktree, parent);
}

function contains(worktree: string, file: string): boolean {
  const relative = path.relative(worktree, file);
  return relative !== '..' && !relative.startsWith('../') && !touchesGitFolder(relative);
}
