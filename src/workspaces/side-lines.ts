import type { Git } from '../git/git.js';
import { AppError } from '../platform/errors/app-error.js';
import {
  type FileRequest,
  type FileSlice,
  type LinesRequest,
  maxFileBytes,
  type QuotedLines,
  type SidePath,
} from './artifact-host.js';
import { readCommittedSlice } from './committed-file.js';
import { blockedSlice, readSlice, type SliceRequest } from './file-slice.js';
import type { View } from './view.js';
import { splitArtifactPath } from './workspace-paths.js';

/** A bounded part of a file of one side of what is shown. @throws AppError file_not_found; GitError */
export async function readSide(git: Git, view: View, request: FileRequest & SidePath): Promise<FileSlice> {
  if (splitArtifactPath(request.path) === null) return blockedSlice(request, 'path_outside_workspace');
  const slice = await sliceOf(git, view, request, request);
  if (slice === null) throw new AppError('file_not_found', { path: request.path });
  return slice;
}

/** Lines of one side of what is shown. @throws AppError file_not_found; GitError */
export async function readLines(git: Git, view: View, request: LinesRequest): Promise<string[]> {
  const lines = await linesOf(git, view, request);
  if (lines === null) throw new AppError('file_not_found', { path: request.path });
  return lines.slice(request.line - 1, request.end_line);
}

/** Where each of them begins now, or null. Each file is read once. @throws GitError */
export async function findLines(git: Git, view: View, quotes: readonly QuotedLines[]): Promise<(number | null)[]> {
  const files = new Map<string, Promise<string[] | null>>();
  const read = (quote: QuotedLines): Promise<string[] | null> => {
    const key = `${quote.side} ${quote.path}`;
    const lines = files.get(key) ?? linesOf(git, view, quote);
    files.set(key, lines);
    return lines;
  };
  return Promise.all(quotes.map(async (quote) => placeIn((await read(quote)) ?? [], quote)));
}

/** Where it was made, or else in the one place that has the same lines: of several nobody knows which is meant. */
function placeIn(lines: readonly string[], { line, lines: quoted }: QuotedLines): number | null {
  const wanted = quoted.split('\n');
  const isAt = (start: number) => wanted.every((text, at) => lines[start + at] === text);
  if (isAt(line - 1)) return line;
  const places = [...lines.keys()].filter(isAt);
  return places.length === 1 ? places[0]! + 1 : null;
}

/** Null for what is not there, and for what is no text or too large. */
async function linesOf(git: Git, view: View, file: SidePath): Promise<string[] | null> {
  const whole = { path: file.path, start: 0, max_bytes: maxFileBytes };
  const slice = await sliceOf(git, view, file, whole).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'file_not_found') return null;
    throw error;
  });
  if (slice === null || slice.encoding !== 'utf8' || slice.truncated) return null;
  const lines = slice.content!.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Null where no repository of the view has that name. */
async function sliceOf(
  git: Git,
  { repos }: View,
  { path, side }: SidePath,
  request: SliceRequest,
): Promise<FileSlice | null> {
  const place = splitArtifactPath(path);
  const repo = repos.find(({ tree }) => tree.repo_name === place?.repo_name);
  if (!place || !repo) return null;
  const { tree, to } = repo;
  const commit = side === 'old' ? tree.base_commit : to;
  if (commit === null) return readSlice(tree.dir, place.inside, request);
  return readCommittedSlice(git, { repository: tree.store, commit, inside: place.inside }, request);
}
