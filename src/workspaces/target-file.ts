import type { Git } from '../git/git.js';
import { AppError } from '../platform/errors/app-error.js';
import { blockedSlice, type SliceRequest, sliceOf } from './file-slice.js';
import type { FileBytes } from './line-window.js';
import { type Place, targetOf } from './standing.js';
import type { FileSlice } from './artifact-host.js';

/** A blob is read from its beginning. */
const MAX_BLOB_BYTES = 32 * 1024 * 1024;

/** A bounded part of one file as the target branch holds it. @throws AppError file_not_found; GitError */
export async function readTargetSlice(
  git: Git,
  place: Place,
  inside: string,
  request: SliceRequest,
): Promise<FileSlice> {
  const target = await targetOf(git, place);
  const { repo_path } = place.repo;
  const found = target && inside !== '' && (await entryAt(git, repo_path, target.commit, inside));
  if (!found) throw new AppError('file_not_found', { path: request.path });
  if (found.type !== 'blob' || found.mode === SYMLINK) return blockedSlice(request, 'not_a_file');
  if (found.size > MAX_BLOB_BYTES) return blockedSlice(request, 'size_exceeded');
  return sliceOf(await blobOf(git, repo_path, found), request);
}

const SYMLINK = '120000';

interface Entry {
  mode: string;
  type: string;
  id: string;
  size: number;
}

async function entryAt(git: Git, repo_path: string, commit: string, inside: string): Promise<Entry | null> {
  const args = ['ls-tree', '-z', '-l', '--full-tree', commit, '--', inside];
  const { stdout } = await git.run(repo_path, args, { readsNoFiles: true });
  const [, mode = '', type = '', id = '', size = ''] = /^(\d+) (\w+) (\w+) +(\d+|-)\t/.exec(stdout.toString()) ?? [];
  return mode === '' ? null : { mode, type, id, size: Number(size) || 0 };
}

async function blobOf(git: Git, repo_path: string, { id, size }: Entry): Promise<FileBytes> {
  const { stdout } = await git.run(repo_path, ['cat-file', 'blob', id], { readsNoFiles: true });
  return { size, read: (start, length) => Promise.resolve(stdout.subarray(start, start + length)) };
}
