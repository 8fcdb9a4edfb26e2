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
  if (target === null) throw new AppError('file_not_found', { path: request.path });
  return readCommittedSlice(git, { repository: place.repo.repo_path, commit: target.commit, inside }, request);
}

/** A file of a commit. */
interface CommittedFile {
  repository: string;
  commit: string;
  inside: string;
}

/** A bounded part of one file as a commit holds it. @throws AppError file_not_found; GitError */
export async function readCommittedSlice(
  git: Git,
  { repository, commit, inside }: CommittedFile,
  request: SliceRequest,
): Promise<FileSlice> {
  const found = inside !== '' && (await entryAt(git, repository, commit, inside));
  if (!found) throw new AppError('file_not_found', { path: request.path });
  if (found.type !== 'blob' || found.mode === SYMLINK) return blockedSlice(request, 'not_a_file');
  if (found.size > MAX_BLOB_BYTES) return blockedSlice(request, 'size_exceeded');
  return sliceOf(await blobOf(git, repository, found), request);
}

const SYMLINK = '120000';

interface Entry {
  mode: string;
  type: string;
  id: string;
  size: number;
}

async function entryAt(git: Git, repository: string, commit: string, inside: string): Promise<Entry | null> {
  const args = ['ls-tree', '-z', '-l', '--full-tree', commit, '--', inside];
  const { stdout } = await git.run(repository, args, { readsNoFiles: true });
  const [, mode = '', type = '', id = '', size = ''] = /^(\d+) (\w+) (\w+) +(\d+|-)\t/.exec(stdout.toString()) ?? [];
  return mode === '' ? null : { mode, type, id, size: Number(size) || 0 };
}

async function blobOf(git: Git, repository: string, { id, size }: Entry): Promise<FileBytes> {
  const { stdout } = await git.run(repository, ['cat-file', 'blob', id], { readsNoFiles: true });
  return { size, read: (start, length) => Promise.resolve(stdout.subarray(start, start + length)) };
}
