import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../platform/errors/app-error.js';
import { isBinary } from './line-count.js';
import { openInside } from './open-file.js';
import { lookAhead, textSlice } from './text-slice.js';
import { type ArtifactBlock, type FileSlice, maxFileBytes } from './workspace-host.js';

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
