import { isCommit, isWhole } from '../git/commit-id.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../git/git.js';
import { deposit, type Landing } from '../git/landing.js';
import { commitOf, isAncestor } from '../git/refs.js';
import { fetchBranch, fetchedRef, pushBranch } from '../git/remote-refs.js';
import type { RemoteLink } from '../git/remote-link.js';
import type { LandingMove, PushedBranch, PushWork, TargetPlace } from './delivery-host.js';
import type { LargeFiles } from './large-files.js';
import type { Remotes } from './remotes.js';
import type { Tree } from './trees.js';
import type { WorkspaceRepo } from './workspace-paths.js';

interface Place {
  repo: WorkspaceRepo;
  tree: Tree;
}

/** Whoever pushes needs these. */
export interface Courier {
  git: Git;
  remotes: Remotes;
  largeFiles: LargeFiles;
}

/** Pushes the attempt's branch, always with a lease: on the commit last pushed from here, on nothing, on a commit the
 *  branch contains, or on the one the caller wants replaced.
 *  @throws AppError no_remote, foreign_head, push_rejected, remote_refused, repo_locked and those of a call to a
 *  remote */
export async function pushAttemptBranch(
  { git, remotes, largeFiles }: Courier,
  { repo, tree }: Place,
  work: PushWork,
): Promise<PushedBranch> {
  const remote = await remotes.remoteOf(repo);
  const link = await remotes.links.open(repo, remote, 'push');
  await largeFiles.upload(tree, link, work.head, work.last ?? tree.base_commit);
  const before = await pushed(git, tree.store, link, await inFull(git, tree.store, link, work));
  // The only tracking ref that moves, for the user's information.
  await deposit(git, tree, `refs/remotes/${remote}/${work.branch}`, work.head);
  return { remote, branch: work.branch, before, commit: work.head };
}

/** @returns what the branch was at before */
async function pushed(git: Git, dir: string, link: RemoteLink, work: PushWork): Promise<string | null> {
  const { branch, head, last, overwrite } = work;
  const read = () => fetchBranch(git, dir, link, branch);
  const isHeld = async (commit: string | null) => commit === null || (await holds(git, dir, head, commit));
  let lease = overwrite ?? ((await isHeld(last)) ? last : await read());
  for (const isLast of [false, true]) {
    if (overwrite === null && !(await isHeld(lease))) break;
    const outcome = await pushBranch(git, dir, link, { branch, to: head, lease });
    if (outcome === 'pushed') return lease;
    if (outcome === 'same') return head;
    if (outcome === 'locked') throw new AppError('repo_locked', { repo_name: link.repo_name });
    lease = await read();
    if (isLast || overwrite !== null) break;
  }
  throw taken(link, work, lease);
}

/** The work with the whole name of the commit that it replaces, which must then be the one on the remote. */
async function inFull(git: Git, dir: string, link: RemoteLink, work: PushWork): Promise<PushWork> {
  const { branch, overwrite } = work;
  if (overwrite === null || isWhole(overwrite)) return work;
  const there = await fetchBranch(git, dir, link, branch);
  if (there === null || !isCommit(overwrite, there)) throw taken(link, work, there);
  return { ...work, overwrite: there };
}

/** What the remote has may not be replaced. */
const taken = ({ repo_name, remote }: RemoteLink, { branch, last }: PushWork, remote_commit: string | null): AppError =>
  new AppError(last === null ? 'foreign_head' : 'push_rejected', { repo_name, remote, branch, remote_commit });

async function holds(git: Git, dir: string, head: string, commit: string): Promise<boolean> {
  return (await commitOf(git, dir, commit)) !== null && isAncestor(git, dir, commit, head);
}

/** Lands on a remote branch, which the remote compares and swaps. @throws AppError remote_refused and those of a call
 *  to a remote */
export async function landOnRemote(
  { git, remotes, largeFiles }: Courier,
  { repo, tree }: Place,
  { remote, branch }: Pick<TargetPlace, 'remote' | 'branch'>,
  { from, to }: LandingMove,
): Promise<Landing> {
  const link = await remotes.links.open(repo, remote!, 'push');
  await largeFiles.upload(tree, link, to, from);
  const outcome = await pushBranch(git, tree.store, link, { branch, to, lease: from });
  remotes.forget(repo, remote!, branch);
  if (outcome === 'locked') return { outcome };
  if (outcome === 'stale') return { outcome: 'moved' };
  await deposit(git, tree, fetchedRef(remote!, branch), to);
  return { outcome: 'landed' };
}
