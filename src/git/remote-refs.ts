/** Branches and other refs on a remote: fetched, moved, made, removed and listed. */
import { AppError } from '../platform/errors/app-error.js';
import { GitError } from './git-error.js';
import type { Git, GitOutput } from './git.js';
import { commitOf } from './refs.js';
import { remoteFailure, remoteLines, type RemoteLink } from './remote-link.js';

/** Refs for branches fetched for deliveries, so that the user's tracking refs never move. */
export const fetchedRef = (remote: string, branch: string): string => `refs/taskyard/remotes/${remote}/${branch}`;

interface RemoteMove {
  /** Short name. */
  branch: string;
  to: string;
  /** The commit the remote branch must be at; null if it must not exist. */
  lease: string | null;
}
/** same: the branch already was at the commit; stale: it is not at the commit of the lease; locked: another push holds
 *  it. */
type RemoteOutcome = 'pushed' | 'same' | 'stale' | 'locked';

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--refmap=',
];
const PUSH = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
const STALE = /\((stale info|non-fast-forward|fetch first|incorrect old value provided|reference already exists)\)/;
const LOCKED = /\((failed to update ref|cannot lock ref.*|.*unable to create .*\.lock.*|failed to (lock|write))\)/i;

/** Fetches one branch of a remote, and nothing else moves. @returns its commit; null where the remote has no such
 *  branch. @throws AppError remote_unreachable, remote_auth_failed, remote_not_found, git_failed, storage_full */
export async function fetchBranch(git: Git, dir: string, link: RemoteLink, branch: string): Promise<string | null> {
  const ref = fetchedRef(link.remote, branch);
  const args = [...FETCH, ...link.programs.upload, link.url, `+refs/heads/${branch}:${ref}`];
  try {
    await git.run(dir, args, link.options);
  } catch (error) {
    if (!(error instanceof GitError) || !error.says(/couldn't find remote ref/)) throw remoteFailure(error, link);
    await git.run(dir, ['update-ref', '-d', ref]);
    return null;
  }
  return commitOf(git, dir, ref);
}

/** Moves a branch of a remote from the commit of the lease, or not at all. @throws AppError remote_refused,
 *  remote_unreachable, remote_auth_failed, remote_not_found, git_failed */
export async function pushBranch(git: Git, dir: string, link: RemoteLink, move: RemoteMove): Promise<RemoteOutcome> {
  const ref = `refs/heads/${move.branch}`;
  const { answer, refused } = await push(git, dir, link, [{ ref, from: move.lease ?? '', to: move.to }]);
  if (refused === null) return /^=/m.test(answer) ? 'same' : 'pushed';
  if (STALE.test(refused.line)) return 'stale';
  if (LOCKED.test(refused.line)) return 'locked';
  throw refused.error;
}

/** Moves refs of a remote, each from its expected commit ('' if it must not exist) to another ('' to delete it).
 *  @returns what git says in porcelain, and of a push that failed what it met
 *  @throws AppError remote_unreachable, remote_auth_failed, remote_not_found, git_failed */
async function push(
  git: Git,
  dir: string,
  link: RemoteLink,
  moves: readonly { ref: string; from: string; to: string }[],
  options: readonly string[] = [],
): Promise<{ answer: string; refused: { line: string; error: unknown } | null }> {
  const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from}`);
  const specs = moves.map(({ ref, to }) => `${to}:${ref}`);
  const args = [...PUSH, ...options, ...link.programs.receive, ...leases, link.url, ...specs];
  const { stdout, stderr, exitCode } = await remoteRun(git, dir, args, link);
  const answer = stdout.toString('utf8');
  if (exitCode === 0) return { answer, refused: null };
  const [line = ''] = /^!.*$/m.exec(answer) ?? [];
  return { answer, refused: { line, error: refusalOf(line, stderr || answer, exitCode, link) } };
}

/** @param line of `--porcelain` output for the ref */
function refusalOf(line: string, stderr: string, exitCode: number | null, link: RemoteLink): unknown {
  if (!line.includes('[remote rejected]')) return remoteFailure(failureOf(stderr, exitCode), link);
  const [, reason = 'rejected'] = /\(([^()]*)\)\s*$/.exec(line) ?? [];
  const { repo_name, remote } = link;
  return new AppError('remote_refused', { repo_name, remote, message: remoteLines(stderr) || reason });
}

async function remoteRun(git: Git, dir: string, args: string[], link: RemoteLink): Promise<GitOutput> {
  try {
    return await git.run(dir, args, { ...link.options, accept: [0, 1] });
  } catch (error) {
    throw remoteFailure(error, link);
  }
}

const failureOf = (stderr: string, exitCode: number | null): GitError =>
  new GitError({ command: 'push', exitCode, stderr, cause: null });

/** Commits, or refs here that name them, by the full name of their ref on the remote. */
type RemoteRefs = ReadonlyMap<string, string>;

/** Creates refs, all or none, never over an existing one: a `+` would disable the lease.
 *  @throws AppError remote_refused, remote_unreachable, remote_auth_failed, remote_not_found, git_failed */
export async function createRefs(git: Git, dir: string, link: RemoteLink, refs: RemoteRefs): Promise<void> {
  const moves = [...refs].map(([ref, to]) => ({ ref, from: '', to }));
  await pushAll(git, dir, link, moves, refs.size > 1 ? ['--atomic'] : []);
}

/** Removes refs that are still at their commit. @throws AppError as `createRefs` */
export async function deleteRefs(git: Git, dir: string, link: RemoteLink, refs: RemoteRefs): Promise<void> {
  const moves = [...refs].map(([ref, from]) => ({ ref, from, to: '' }));
  if (moves.length > 0) await pushAll(git, dir, link, moves);
}

/** All below a folder of refs, such as `refs/a/b`. @throws AppError as `createRefs` */
export async function listRefs(git: Git, dir: string, link: RemoteLink, folder: string): Promise<RemoteRefs> {
  const args = ['ls-remote', '--quiet', '--refs', ...link.programs.upload, link.url, `${folder}/*`];
  const { stdout } = await remoteRun(git, dir, args, link);
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split('\t')).map(([commit = '', ref = '']) => [ref, commit]));
}

/** Fetches all refs below a folder into a folder of refs here. @throws AppError as `createRefs` */
export async function fetchRefs(git: Git, dir: string, link: RemoteLink, from: string, to: string): Promise<void> {
  try {
    await git.run(dir, [...FETCH, ...link.programs.upload, link.url, `+${from}/*:${to}/*`], link.options);
  } catch (error) {
    throw remoteFailure(error, link);
  }
}

async function pushAll(...args: Parameters<typeof push>): Promise<void> {
  const { refused } = await push(...args);
  if (refused !== null) throw refused.error;
}
