import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { bytePath } from '../git/diff-records.js';
import { GitError } from '../git/git-error.js';
import { ifThere } from '../git/if-there.js';
import type { InsideGit } from './inside-git.js';
import { type Change, readChanges } from './repository-changes.js';
import type { Tree } from './trees.js';
import { type Changes, type ChangesSummary, type DiffGuard, type FileStat, maxListed } from './workspace-host.js';

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

export interface GuardOptions {
  guard: DiffGuard;
  force: boolean;
  /** Whether each file is listed with the hash of its content. */
  hashes?: boolean;
}

/** Summary and list of one attempt; the list is empty when blocked. */
export async function listChanges(inside: InsideGit, trees: readonly Tree[], options: GuardOptions): Promise<Changes> {
  const { guard, force, hashes } = options;
  const all = await readAll(inside, trees, force);
  if (all === null) return blocked('summary_failed', { file_count: 0, added: 0, deleted: 0, total_bytes: 0 });
  const summary = summarise(all);
  if (!force && exceeds(summary, guard)) return blocked('threshold_exceeded', summary);
  const file_stats = hashes ? await hashedStats(trees, all) : firstOf(all).map(toFileStat);
  return {
    summary,
    blocked: false,
    blocked_reason: null,
    files: file_stats.map(({ path }) => path),
    file_stats,
    truncated: all.length > maxListed,
  };
}

/** Null if the figures cannot be computed. With force, names alone are enough, with zero lines.
 *  @throws GitError under force, when not even names can be read */
export async function readAll(inside: InsideGit, trees: readonly Tree[], force: boolean): Promise<Change[] | null> {
  const read = async (counts: boolean) =>
    (await Promise.all(trees.map((tree) => readChanges(inside, tree, counts)))).flat();
  try {
    return await read(true);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return force ? read(false) : null;
  }
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

function blocked(blocked_reason: 'summary_failed' | 'threshold_exceeded', summary: ChangesSummary): Changes {
  return { summary, blocked: true, blocked_reason, files: [], file_stats: [], truncated: false };
}

/** By path, with the hash of what each file holds. */
export async function hashedStats(trees: readonly Tree[], changes: readonly Change[]): Promise<FileStat[]> {
  const listed = firstOf(changes);
  await addHashes(trees, listed);
  return listed.map(toFileStat);
}

const firstOf = (changes: readonly Change[]): Change[] =>
  [...changes].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxListed);

/** One file after the other, so that other work proceeds in between. */
async function addHashes(trees: readonly Tree[], changes: readonly Change[]): Promise<void> {
  const dirs = new Map(trees.map(({ repo_name, dir }) => [repo_name, dir]));
  for (const change of changes)
    if (change.status !== 'deleted')
      change.content_hash = await contentHash(bytePath(dirs.get(change.repo_name)!, change.bytePath));
}

function toFileStat({ path, old_path, status, added, deleted, is_binary, bytes, content_hash }: Change): FileStat {
  return { path, old_path, status, added, deleted, is_binary, bytes, content_hash };
}
