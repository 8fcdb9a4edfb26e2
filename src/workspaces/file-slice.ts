import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../git/if-there.js';
import { AppError } from '../platform/errors/app-error.js';
import { type FileBytes, type LineWindow, windowOf } from './line-window.js';
import { isBinary } from './repository-changes.js';
import { type ArtifactBlock, type FileRequest, type FileSlice, maxFileBytes } from './artifact-host.js';
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

export type SliceRequest = Omit<FileRequest, 'of'>;

const HEAD_BYTES = 8_000;
/** What an answer holds where nobody asked for more or less: as many tokens of text as of base64. */
const DEFAULT_BYTES = { utf8: 40 * 1024, base64: 16 * 1024 };

/** A bounded part of one file of a worktree. @throws AppError file_not_found */
export async function readSlice(worktree: string, inside: string, request: SliceRequest): Promise<FileSlice> {
  if ((request.max_bytes ?? 0) > maxFileBytes) return blockedSlice(request, 'size_exceeded');
  const opened = await openInside(worktree, inside);
  if (opened === 'missing') throw new AppError('file_not_found', { path: request.path });
  if (typeof opened === 'string') return blockedSlice(request, opened);
  try {
    const { size } = await opened.stat();
    return await sliceOf({ size, read: (start, length) => readBytes(opened, start, length) }, request);
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
    next: null,
  };
}

/** The slice that was asked for, from the first byte, or from the start of a line. */
export async function sliceOf(file: FileBytes, request: SliceRequest): Promise<FileSlice> {
  const { from, to } = request.lines ? await windowOf(file, request.lines) : { from: 0, to: file.size };
  const { at, content, encoding } = await contentOf(file, { from: from + request.start, to }, request);
  const end = at + content.length;
  return {
    path: request.path,
    blocked: false,
    blocked_reason: null,
    start: at,
    bytes: content.length,
    total_bytes: file.size,
    truncated: end < file.size,
    is_binary: encoding === 'base64',
    encoding,
    content: content.toString(encoding),
    next: end < to ? { start: end - from } : end < file.size ? nextLines(request.lines) : null,
  };
}

interface Content {
  at: number;
  content: Buffer;
  encoding: 'utf8' | 'base64';
}

/** As much of a window as an answer holds. */
async function contentOf(file: FileBytes, { from, to }: LineWindow, request: SliceRequest): Promise<Content> {
  const { max_bytes = DEFAULT_BYTES.utf8 } = request;
  const wanted = Math.max(0, Math.min(max_bytes, to - from));
  const bytes = await file.read(from, wanted === 0 ? 0 : wanted + lookAhead);
  const isStart = from === 0 || request.start === 0;
  const text = isBinary(await file.read(0, HEAD_BYTES)) ? null : textSlice(bytes, wanted, isStart);
  if (text !== null) return { at: from + text.skipped, content: text.content, encoding: 'utf8' };
  const most = Math.min(wanted, request.max_bytes ?? DEFAULT_BYTES.base64);
  return { at: from, content: bytes.subarray(0, most), encoding: 'base64' };
}

const nextLines = (lines: SliceRequest['lines']): FileSlice['next'] =>
  lines ? { start: 0, start_line: lines.start_line + (lines.line_count ?? 0) } : null;

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
