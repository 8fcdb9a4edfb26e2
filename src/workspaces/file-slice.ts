import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../git/if-there.js';
import { AppError } from '../platform/errors/app-error.js';
import { isBinary } from './repository-changes.js';
import { type ArtifactBlock, type FileSlice, maxFileBytes } from './workspace-host.js';
import { touchesGitFolder } from './workspace-paths.js';

type OpenedFile = FileHandle | 'path_outside_workspace' | 'not_a_file' | 'missing';

/** Opens a regular file whose real path lies in the worktree. The check is made again on what was opened, so that a
 *  link swapped in between check and open gains nothing. Nothing is opened that waits (fifo) or acts (device).
 *  @param inside path below `worktree`, without `..` */
async function openInside(worktree: string, inside: string): Promise<OpenedFile> {
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

/** The real path of the nearest existing folder, for a path that does not exist. */
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

/** Extra bytes that `textSlice` may need: the rest of a character before, and one more character. */
export const lookAhead = 6;

/** Cuts bytes at the characters of UTF-8: one that began before them is left out, one that ends beyond `wanted` too. A
 *  first character longer than `wanted` is given whole, so that paging always moves on.
 *  @param bytes `wanted` and up to `lookAhead` more; fewer mean the end of the file
 *  @param isStart the bytes begin the file, so no character began before them
 *  @returns null when they are not text: a NUL, or a sequence that is not UTF-8 */
export function textSlice(
  bytes: Buffer,
  wanted: number,
  isStart: boolean,
): { skipped: number; content: Buffer } | null {
  const skipped = isStart ? 0 : continuationsFrom(bytes, 0);
  const content = bytes.subarray(skipped, endOfCharacters(bytes, skipped, wanted));
  return !content.includes(0) && isUtf8(content) ? { skipped, content } : null;
}

function endOfCharacters(bytes: Buffer, start: number, wanted: number): number {
  if (wanted >= bytes.length) return bytes.length;
  const end = wanted - continuationsBefore(bytes, wanted);
  return end > start ? end : start + 1 + continuationsFrom(bytes, start + 1);
}

/** Bytes to step back from `end` so that no character is cut; at most three, longer rows are no text. */
function continuationsBefore(bytes: Buffer, end: number): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[end - count])) count += 1;
  return count;
}

function continuationsFrom(bytes: Buffer, at: number): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[at + count])) count += 1;
  return count;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

export interface SliceRequest {
  path: string;
  start: number;
  max_bytes: number;
}

const HEAD_BYTES = 8_000;

/** A bounded part of one file of a worktree. @throws AppError file_not_found */
export async function readSlice(worktree: string, inside: string, request: SliceRequest): Promise<FileSlice> {
  if (request.max_bytes > maxFileBytes) return blockedSlice(request, 'size_exceeded');
  const opened = await openInside(worktree, inside);
  if (opened === 'missing') throw new AppError('file_not_found', { path: request.path });
  if (typeof opened === 'string') return blockedSlice(request, opened);
  try {
    return await readOpened(opened, request);
  } finally {
    await opened.close();
  }
}

export function blockedSlice({ path, start }: SliceRequest, blocked_reason: ArtifactBlock): FileSlice {
  return {
    path,
    blocked: true,
    blocked_reason,
    truncated: false,
    start,
    bytes: 0,
    total_bytes: null,
    is_binary: false,
    encoding: null,
    content: null,
  };
}

async function readOpened(handle: FileHandle, { path, start, max_bytes }: SliceRequest): Promise<FileSlice> {
  const total_bytes = (await handle.stat()).size;
  const bytes = await readBytes(handle, start, max_bytes + lookAhead);
  const head = start === 0 ? bytes : await readBytes(handle, 0, HEAD_BYTES);
  const text = isBinary(head) ? null : textSlice(bytes, max_bytes, start === 0);
  const content = text?.content ?? bytes.subarray(0, max_bytes);
  const from = start + (text?.skipped ?? 0);
  const encoding = text ? 'utf8' : 'base64';
  return {
    path,
    blocked: false,
    blocked_reason: null,
    start: from,
    bytes: content.length,
    total_bytes,
    truncated: from + content.length < total_bytes,
    is_binary: text === null,
    encoding,
    content: content.toString(encoding),
  };
}

async function readBytes(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
