import type { Git } from './git.js';
import { FETCH, push, remoteRun } from './remote-branches.js';
import { remoteFailure } from './remote-failure.js';
import type { RemoteLink } from './remote-link.js';

/** Commits, or refs here that name them, by the full name of their ref on the remote. */
export type RemoteRefs = ReadonlyMap<string, string>;

/** Makes refs that are not there yet, all or none. Never over one that exists: a `+` would switch the lease off.
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

/** Brings all below a folder of refs there below a folder of refs here. @throws AppError as `createRefs` */
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
