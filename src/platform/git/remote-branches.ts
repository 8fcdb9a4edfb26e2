import { AppError } from '../errors/app-error.js';
import { GitError } from './git-error.js';
import type { Git, GitOutput } from './git.js';
import { commitOf } from './refs.js';
import { remoteFailure, remoteLines } from './remote-failure.js';
import type { RemoteLink } from './remote-link.js';

/** Where the branches of remotes are kept that were fetched for deliveries; the user's own are never moved. */
export const fetchedRef = (remote: string, branch: string): string => `refs/taskyard/remotes/${remote}/${branch}`;

export interface RemoteMove {
  /** Short name. */
  branch: string;
  to: string;
  /** The commit the branch must be at there; null where it must not exist. */
  lease: string | null;
}
/** same: the branch was there already, whatever the lease says; stale: it is not where the lease says; locked: another
 *  push holds it. */
export type RemoteOutcome = 'pushed' | 'same' | 'stale' | 'locked';

export const FETCH = [
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

/** Moves refs of a remote, each from the commit that it is at, or '' where it is not there yet; `to` is '' for one that
 *  goes. @returns what git says in porcelain, and of a push that failed what it met
 *  @throws AppError remote_unreachable, remote_auth_failed, remote_not_found, git_failed */
export async function push(
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

/** @param line of what became of the ref, in porcelain */
function refusalOf(line: string, stderr: string, exitCode: number | null, link: RemoteLink): unknown {
  if (!line.includes('[remote rejected]')) return remoteFailure(failureOf(stderr, exitCode), link);
  const [, reason = 'rejected'] = /\(([^()]*)\)\s*$/.exec(line) ?? [];
  const { repo_name, remote } = link;
  return new AppError('remote_refused', { repo_name, remote, message: remoteLines(stderr) || reason });
}

export async function remoteRun(git: Git, dir: string, args: string[], link: RemoteLink): Promise<GitOutput> {
  try {
    return await git.run(dir, args, { ...link.options, accept: [0, 1] });
  } catch (error) {
    throw remoteFailure(error, link);
  }
}

const failureOf = (stderr: string, exitCode: number | null): GitError =>
  new GitError({ command: 'push', exitCode, stderr, cause: null });
