import { fetchedRef } from '../platform/git/remote-branches.js';

/** A ref that may hold the target of an attempt. */
export interface TargetRef {
  ref: string;
  /** Remote that holds the branch; null for a local one. */
  remote: string | null;
  /** Name of the branch where it is. */
  branch: string;
}

/** Where a target may be, best first. In a repository of the user: the local branch, `origin/x` as given, x of origin.
 *  In a clone of ours local branches are nobody's and as old as the clone, so what was fetched goes before them. */
export function targetRefs(name: string, isClone: boolean): TargetRef[] {
  if (isClone) {
    const branch = name.replace(/^origin\//, '');
    return [fetched('origin', branch), { ref: `refs/heads/${branch}`, remote: 'origin', branch }];
  }
  const [, remote, branch] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const named = remote !== undefined && branch !== undefined ? tracked(remote, branch) : [];
  return [{ ref: `refs/heads/${name}`, remote: null, branch: name }, ...named, ...tracked('origin', name)];
}

const fetched = (remote: string, branch: string): TargetRef => ({ ref: fetchedRef(remote, branch), remote, branch });
const tracked = (remote: string, branch: string): TargetRef[] => [
  fetched(remote, branch),
  { ref: `refs/remotes/${remote}/${branch}`, remote, branch },
];
