import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { bytePath } from '../git/diff-records.js';
import { GitError } from '../git/git-error.js';
import { ifThere } from '../git/if-there.js';
import { withinBytes } from '../platform/fields/paging.js';
import { foldersOf } from './change-folders.js';
import { nearestPath } from './nearest-path.js';
import { type Change, isBelow, type Reader, readChanges } from './repository-changes.js';
import type { View } from './view.js';
import {
  type Changes,
  type ChangesRequest,
  type ChangesSummary,
  type DiffGuard,
  type FileStat,
  maxListed,
} from './artifact-host.js';
import { splitArtifactPath } from './workspace-paths.js';

/** Larger files are compared by size only. */
const MAX_BYTES = 64 * 1024 * 1024;

/** SHA-256 of a file's content, or of a link's target without following it; null for what cannot be read: a missing
 *  file, a folder, a device. */
export async function contentHash(file: Buffer): Promise<string | null> {
  const entry = await ifThere(lstat(file));
  if (entry === null || entry.size > MAX_BYTES) return null;
  if (entry.isSymbolicLink()) {
    const target = await ifThere(readlink(file, 'buffer'));
    return target && createHash('sha256').update(target).digest('hex');
  }
  return entry.isFile() ? hashOf(file) : null;
}

async function hashOf(file: Buffer): Promise<string | null> {
  const handle = await ifThere(open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (handle === null) return null;
  const hash = createHash('sha256');
  // the stream closes the handle at its end
  for await (const part of handle.createReadStream({ end: MAX_BYTES })) hash.update(part as Buffer);
  return hash.digest('hex');
}

/** Summary and list of one attempt; the list is empty when blocked. */
export async function listChanges(reader: Reader, view: View, request: ChangesRequest): Promise<Changes> {
  const { guard, force, path } = request;
  const place = path === undefined ? undefined : splitArtifactPath(path);
  if (place === null) return blocked('path_outside_workspace', view);
  const isNarrow = force || place !== undefined;
  const all = await readAll(reader, view, isNarrow);
  if (all === null) return blocked('summary_failed', view, { folders: foldersOf(await namesOf(reader, view)) });
  const chosen = place === undefined ? all : all.filter((change) => isBelow(change, place));
  const summary = summarise(chosen);
  if (!isNarrow && exceeds(summary, guard))
    return blocked('threshold_exceeded', view, { summary, folders: foldersOf(chosen) });
  return {
    ...(await listed(view, chosen, request)),
    of: view.of,
    nearest: place !== undefined && chosen.length === 0 ? nearestPath(path!, pathsOf(all)) : null,
    summary,
    blocked: false,
    blocked_reason: null,
    folders: [],
  };
}

/** One page of the list. */
async function listed(
  { repos }: View,
  chosen: readonly Change[],
  { hashes = false, cursor = 0, max_bytes = Infinity }: ChangesRequest,
): Promise<Pick<Changes, 'files' | 'file_stats' | 'truncated' | 'next_cursor'>> {
  const listed = byPath(chosen).slice(cursor, cursor + maxListed);
  const page = listed.slice(0, withinBytes(pathsOf(listed), max_bytes).length);
  if (hashes) await addHashes(repos, page);
  const file_stats = page.map(toFileStat);
  const next = cursor + page.length;
  const truncated = next < chosen.length;
  return { files: pathsOf(file_stats), file_stats, truncated, next_cursor: truncated ? next : null };
}

export const pathsOf = (changes: readonly Pick<Change, 'path'>[]): string[] => changes.map(({ path }) => path);

/** Null if the figures cannot be computed. With force, names alone are enough, with zero lines.
 *  @throws GitError under force, when not even names can be read */
export async function readAll(reader: Reader, { repos }: View, force: boolean): Promise<Change[] | null> {
  const read = async (counts: boolean) =>
    (await Promise.all(repos.map((repo) => readChanges(reader, repo, counts)))).flat();
  try {
    return await read(true);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return force ? read(false) : null;
  }
}

/** As far as names can be read. */
async function namesOf(reader: Reader, view: View): Promise<Change[]> {
  return readAll(reader, view, true).then(
    (changes) => changes ?? [],
    (error: unknown) => {
      if (error instanceof GitError) return [];
      throw error;
    },
  );
}

export function summarise(changes: readonly Change[]): ChangesSummary {
  const summary = { file_count: changes.length, added: 0, deleted: 0, total_bytes: 0 };
  for (const { added, deleted, bytes } of changes) {
    summary.added += added;
    summary.deleted += deleted;
    summary.total_bytes += bytes;
  }
  return summary;
}

/** A figure equal to its limit is allowed. */
export function exceeds(summary: ChangesSummary, guard: DiffGuard): boolean {
  return (
    summary.file_count > guard.max_files ||
    summary.added + summary.deleted > guard.max_lines ||
    summary.total_bytes > guard.max_bytes
  );
}

const NOTHING: ChangesSummary = { file_count: 0, added: 0, deleted: 0, total_bytes: 0 };

function blocked(
  blocked_reason: NonNullable<Changes['blocked_reason']>,
  { of }: View,
  { summary = NOTHING, folders = [] }: Partial<Pick<Changes, 'summary' | 'folders'>> = {},
): Changes {
  const none = { files: [], file_stats: [], truncated: false, nearest: null, next_cursor: null };
  return { ...none, of, summary, folders, blocked: true, blocked_reason };
}

/** By path, with the hash of what each file holds. */
export async function hashedStats({ repos }: View, changes: readonly Change[]): Promise<FileStat[]> {
  const listed = byPath(changes).slice(0, maxListed);
  await addHashes(repos, listed);
  return listed.map(toFileStat);
}

const byPath = (changes: readonly Change[]): Change[] => [...changes].sort((a, b) => (a.path < b.path ? -1 : 1));

/** One file after the other, so that other work proceeds in between. */
async function addHashes(repos: View['repos'], changes: readonly Change[]): Promise<void> {
  const dirs = new Map(repos.map(({ tree: { repo_name, dir } }) => [repo_name, dir]));
  for (const change of changes)
    if (change.status !== 'deleted')
      change.content_hash = await contentHash(bytePath(dirs.get(change.repo_name)!, change.bytePath));
}

function toFileStat({ path, old_path, status, added, deleted, is_binary, bytes, content_hash }: Change): FileStat {
  return { path, old_path, status, added, deleted, is_binary, bytes, content_hash };
}
