import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.js';
import { ifThere } from './if-there.js';

/** Commits of those of the full names that exist. */
export async function readRefs(git: Git, dir: string, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await rowsOf(git, dir, names, '%(objectname)');
  return new Map(rows.map(([name, commit]) => [name, commit!]));
}

/** Commit of a branch, and its tree. */
export interface Tip {
  commit: string;
  tree: string;
}

/** The same with their trees, in one call. */
export async function readTips(git: Git, dir: string, names: readonly string[]): Promise<Map<string, Tip>> {
  const rows = await rowsOf(git, dir, names, '%(objectname) %(tree)');
  return new Map(rows.map(([name, commit, tree]) => [name, { commit: commit!, tree: tree! }]));
}

async function rowsOf(
  git: Git,
  dir: string,
  names: readonly string[],
  format: string,
): Promise<[name: string, ...fields: string[]][]> {
  const patterns = names.filter(isRefName);
  if (patterns.length === 0) return [];
  const lines = await git.text(dir, ['for-each-ref', `--format=%(refname) ${format}`, ...patterns]);
  const rows = lines.split('\n').map((line): [string, ...string[]] => line.split(' ') as [string, ...string[]]);
  // A pattern also matches refs below it.
  return rows.filter(([name]) => patterns.includes(name));
}

/** Refs that a branch name can mean: the local branch, then `origin/x` as given, then x of origin. */
const branchCandidates = (name: string): [local: string, remote: string, origin: string] => [
  `refs/heads/${name}`,
  `refs/remotes/${name}`,
  `refs/remotes/origin/${name}`,
];

/** Commit of a branch, or null where there is none. */
export async function branchCommit(git: Git, dir: string, name: string): Promise<string | null> {
  const candidates = branchCandidates(name);
  return (await looseCommit(dir, candidates[0])) ?? firstOf(await readRefs(git, dir, candidates), candidates);
}

/** Commits of the refs that are loose files, read without starting git, which takes milliseconds. A missing name proves
 *  nothing. */
export async function looseRefs(dir: string, names: readonly string[]): Promise<Map<string, string>> {
  const commits = await Promise.all(names.map(async (name) => [name, await looseCommit(dir, name)] as const));
  return new Map(commits.filter((found): found is [string, string] => found[1] !== null));
}

async function looseCommit(dir: string, ref: string): Promise<string | null> {
  if (!isRefName(ref) || ref.includes('..')) return null;
  const text = await ifThere(readFile(path.join(dir, '.git', ref), 'utf8'));
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(text ?? '')?.[1] ?? null;
}

export function firstOf(refs: Map<string, string>, names: readonly string[]): string | null {
  return names.map((name) => refs.get(name)).find((commit) => commit !== undefined) ?? null;
}

/** Short names of local branches, the current one first, then by name. */
export async function listBranches(git: Git, dir: string, limit: number): Promise<string[]> {
  const lines = await git.text(dir, [
    'for-each-ref',
    '--sort=refname',
    '--sort=-HEAD',
    `--count=${limit}`,
    '--format=%(refname:lstrip=2)',
    'refs/heads/',
  ]);
  return lines.split('\n').filter(Boolean);
}

/** Target of a symbolic ref such as HEAD, or null where it is detached or missing. */
export async function symbolicRef(
  git: Git,
  dir: string,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const { stdout, exitCode } = await git.run(dir, ['symbolic-ref', '--quiet', name], { env, accept: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString('utf8').trim() : null;
}

/** The commit that a revision means, or null. @throws GitError where the folder is no repository */
export async function commitOf(
  git: Git,
  dir: string,
  revision: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  return (await git.text(dir, args, { env, accept: [0, 1] })) || null;
}

/** Null where the two have none. @throws GitError */
export async function mergeBase(git: Git, dir: string, one: string, other: string): Promise<string | null> {
  return (await git.text(dir, ['merge-base', one, other], { accept: [0, 1] })) || null;
}

/** True if `ancestor` is an ancestor of `commit`. @throws GitError */
export async function isAncestor(
  git: Git,
  dir: string,
  ancestor: string,
  commit: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, commit];
  return (await git.run(dir, args, { env, accept: [0, 1] })).exitCode === 0;
}

/** True if every commit of `revision` is on a branch other than `except`. */
export async function isOnBranches(git: Git, dir: string, revision: string, except: string | null): Promise<boolean> {
  const others = [...(except === null ? [] : [`--exclude=${except}`]), '--branches', '--remotes'];
  return (await git.text(dir, ['rev-list', '--max-count=1', revision, '--not', ...others])) === '';
}

/** No character that git refuses in a name or reads as a pattern. */
function isRefName(name: string): boolean {
  return !/[\0-\x20\x7f~^:?*[\\]|\/$/.test(name);
}
