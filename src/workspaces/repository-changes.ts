import { closeSync, constants, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { setImmediate as tick } from 'node:timers/promises';
import { bytePath, type DiffRecord, parseDiff, parseNames, textOf } from '../git/diff-records.js';
import type { Git, GitOutput } from '../git/git.js';
import { orNull } from '../git/if-there.js';
import type { InsideGit, ScriptCall } from './inside-git.js';
import { SHOW } from './inside-scripts.js';
import { MAX_WORK_BYTES } from './look.js';
import type { Tree } from './trees.js';
import type { ChangeStatus, FileStat } from './artifact-host.js';
import { touchesGitFolder } from './workspace-paths.js';

// Lines beyond are not counted, because such a text exceeds the guard anyway.
const MAX_BYTES = 4 * 1024 * 1024;
// As git does: a NUL near the start makes a file binary.
const BINARY_PROBE_BYTES = 8_000;
const LINE_FEED = 10;
const chunk = Buffer.alloc(256 * 1024);

/** Lines of a file as git counts them (a last line without line end is one); null for a binary or unreadable file.
 *  Blocking, for files that were just written: ten times quicker than asynchronous calls, at most a few
 *  milliseconds. */
function countLines(file: Buffer): number | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return countIn(descriptor);
  } catch (error) {
    return orNull(error);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

export function isBinary(head: Buffer): boolean {
  return head.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

function countIn(descriptor: number): number | null {
  let lines = 0;
  let last = LINE_FEED;
  for (let at = 0; at < MAX_BYTES;) {
    const length = readSync(descriptor, chunk, 0, chunk.length, at);
    if (at === 0 && isBinary(chunk.subarray(0, length))) return null;
    for (let index = 0; index < length; index += 1) if (chunk[index] === LINE_FEED) lines += 1;
    last = length > 0 ? chunk[length - 1]! : last;
    at += length;
    if (length < chunk.length) break;
  }
  return lines + (last === LINE_FEED ? 0 : 1);
}

export interface Change extends FileStat {
  repo_name: string;
  /** Its path in the repository, one character for each byte. */
  bytePath: string;
  /** Not in the index: git's diff does not show what the file holds. */
  isUntracked: boolean;
}

/** Whether a path means the change: its file, the old name of that, or a folder above. A name that is not UTF-8 is only
 *  meant through its folder. */
export function isBelow({ path, old_path, repo_name }: Change, place: { repo_name: string; inside: string }): boolean {
  const { inside } = place;
  const isMeant = (name: string) =>
    inside === '' || (name === inside && !inside.includes('\uFFFD')) || name.startsWith(`${inside}/`);
  const names = [path, old_path].filter((name) => name !== null);
  return place.repo_name === repo_name && names.some((name) => isMeant(name.slice(repo_name.length + 1)));
}

const statusOf: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
};
const WITH_COUNTS = ['--raw', '--numstat', '-z', '--no-abbrev', '-M', '-l1000', '--no-ext-diff', '--no-textconv'];
// Reads no file contents, so it works if those are damaged; a rename shows as a deletion and an addition.
const NAMES_ALONE = ['diff-index', '--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=dirty'];
// How long files are read before yielding to other work.
const SLICE_MS = 5;

/** Git on stores, and on what runs own. */
export interface Reader {
  git: Git;
  inside: InsideGit;
}

/** One repository, compared with its base commit. */
export interface Compared {
  tree: Tree;
  /** A commit in the store; null: the files as they are now. */
  to: string | null;
}

/** Everything between the base commit and the files now: committed, uncommitted and untracked; or up to a commit.
 *  @param counts false: names alone, with zero lines. @throws GitError */
export async function readChanges({ git, inside }: Reader, compared: Compared, counts: boolean): Promise<Change[]> {
  const { tree, to } = compared;
  const { diff, untracked } = await (to !== null
    ? compareCommits(git, compared)
    : counts
      ? compare(inside, compared)
      : compareNames(inside, tree));
  const changes = new Map(parseDiff(diff).map((record) => [record.path, toChange(tree, record)]));
  // A repository inside the worktree is listed with a slash at its end; it is not part of this one.
  for (const name of parseNames(untracked)) {
    if (!name.endsWith('/') && !touchesGitFolder(name)) changes.set(name, toUntracked(tree, name, changes.get(name)));
  }
  const all = [...changes.values()];
  let since = performance.now();
  for (const change of all) {
    measure(tree, change, counts);
    if (performance.now() - since < SLICE_MS) continue;
    await tick();
    since = performance.now();
  }
  return all;
}

interface Listed {
  diff: Buffer;
  /** Names of files that are not in the index. */
  untracked: Buffer;
}

/** What git is told to compare: two commits, or the base with the files as `runShown` has them. */
export const comparing = ({ tree: { base_commit }, to }: Compared, options: readonly string[]): string[] =>
  to === null ? ['diff-index', '--cached', ...options, base_commit] : ['diff-tree', '-r', ...options, base_commit, to];

/** Runs git with an index of the files of a tree as they would be committed. @throws GitError */
export const runShown = (
  inside: InsideGit,
  tree: Tree,
  { variables, ...call }: Pick<ScriptCall, 'args' | 'variables' | 'options'>,
): Promise<GitOutput> =>
  inside.run(tree, {
    ...call,
    target: 'copy',
    script: SHOW,
    variables: { MOST: String(MAX_WORK_BYTES), LIST: '', ...variables },
  });

async function compare(inside: InsideGit, compared: Compared): Promise<Listed> {
  const args = comparing(compared, WITH_COUNTS);
  const { stdout } = await runShown(inside, compared.tree, { args, variables: { LIST: 'yes' } });
  const end = stdout[0] === 0 ? 0 : stdout.indexOf('\0\0') + 1;
  return { untracked: stdout.subarray(0, end), diff: stdout.subarray(end + 1) };
}

async function compareCommits(git: Git, compared: Compared): Promise<Listed> {
  const { stdout } = await git.run(compared.tree.store, comparing(compared, WITH_COUNTS));
  return { diff: stdout, untracked: Buffer.alloc(0) };
}

async function compareNames(inside: InsideGit, tree: Tree): Promise<Listed> {
  const git = inside.reading(tree);
  const [diff, untracked] = await Promise.all([
    git.run(tree.dir, [...NAMES_ALONE, tree.base_commit, '--']),
    git.run(tree.dir, ['ls-files', '--others', '-z', '--exclude-standard']),
  ]);
  return { diff: diff.stdout, untracked: untracked.stdout };
}

function toChange(tree: Tree, record: DiffRecord): Change {
  return {
    repo_name: tree.repo_name,
    bytePath: record.path,
    isUntracked: false,
    path: `${tree.repo_name}/${textOf(record.path)}`,
    old_path: record.oldPath === null ? null : `${tree.repo_name}/${textOf(record.oldPath)}`,
    status: statusOf[record.letter] ?? 'modified',
    added: record.added,
    deleted: record.deleted,
    is_binary: record.isBinary,
    bytes: 0,
    content_hash: null,
  };
}

/** @param removed the path was removed from the index but the file stays, which counts as a modification */
function toUntracked(tree: Tree, bytePath: string, removed: Change | undefined): Change {
  const path = `${tree.repo_name}/${textOf(bytePath)}`;
  const figures = { added: 0, deleted: removed?.deleted ?? 0, is_binary: false, bytes: 0, content_hash: null };
  return {
    repo_name: tree.repo_name,
    bytePath,
    isUntracked: true,
    path,
    old_path: null,
    status: removed ? 'modified' : 'untracked',
    ...figures,
  };
}

/** Size of the new side, and lines that git has not counted. A file that vanishes meanwhile has none. */
function measure(tree: Tree, change: Change, counts: boolean): void {
  if (change.status === 'deleted') return;
  const file = bytePath(tree.dir, change.bytePath);
  const entry = lstatIfThere(file);
  if (entry === null || entry.isDirectory()) return;
  change.bytes = entry.size;
  if (!change.isUntracked || !counts || entry.size === 0) return;
  const lines = entry.isFile() ? countLines(file) : 1;
  change.is_binary = lines === null;
  change.added = lines ?? 0;
}

function lstatIfThere(file: Buffer): Stats | null {
  try {
    return lstatSync(file);
  } catch (error) {
    return orNull(error);
  }
}
