import type { Git } from '../git/git.js';
import { KeyedLimit } from '../git/limits.js';
import { listBranches, looseRefs, readRefs } from '../git/refs.js';
import { fetchBranch, fetchedRef, listRefs } from '../git/remote-refs.js';
import { AppError } from '../platform/errors/app-error.js';
import type { RemoteLinks } from './remote-links.js';
import type { WorkspaceRepo } from './workspace-paths.js';

/** A ref that may hold the target of an attempt. */
export interface TargetRef {
  ref: string;
  /** Remote that holds the branch; null for a local one. */
  remote: string | null;
  /** Name of the branch where it is. */
  branch: string;
}

/** Refs of a target, best first. In a repository of the user: the local branch, `origin/x` as given, x of origin. In
 *  our clones local branches are as old as the clone, so fetched ones come first. */
function targetRefs(name: string, isClone: boolean): TargetRef[] {
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

type TargetedRepo = Pick<WorkspaceRepo, 'repo_name' | 'repo_path' | 'target_branch'>;

/** Calls within this time after a fetch share its result. */
const SHARED_MS = 5_000;
const HEADS = 'refs/heads';

/** Fetches branches of remotes, one fetch of a repository at a time, and remembers the results. */
export class Remotes {
  private readonly lanes = new KeyedLimit();
  /** Running and recent fetches by branch. */
  private readonly fetches = new Map<string, Promise<void>>();
  private readonly running = new Set<string>();
  /** Branches that were gone from their remote at the last fetch, though the repository still shows them. */
  private readonly gone = new Set<string>();

  constructor(
    private readonly git: Git,
    readonly links: RemoteLinks,
    private readonly isClone: (repo_path: string) => boolean,
  ) {}

  /** Where the target may be, best first. */
  targetRefs({ repo_path, target_branch }: Pick<TargetedRepo, 'repo_path' | 'target_branch'>): TargetRef[] {
    return targetRefs(target_branch, this.isClone(repo_path)).filter(
      ({ remote, branch }) => remote === null || !this.gone.has(keyOf(repo_path, remote, branch)),
    );
  }

  /** Fetches the target if it is on a remote; no ref of the user moves.
   *  @param options `isFresh`: shares only a fetch that is still running
   *  @throws AppError remote_unreachable, remote_auth_failed, remote_not_found, repo_invalid, git_failed */
  async refresh(repo: TargetedRepo, { isFresh = false } = {}): Promise<void> {
    const place = await this.trackedTarget(repo);
    if (place === null) return;
    const key = keyOf(repo.repo_path, place.remote, place.branch);
    if (isFresh && !this.running.has(key)) this.fetches.delete(key);
    await (this.fetches.get(key) ?? this.fetch(repo, place.remote, place.branch, key));
  }

  /** The branch may have moved; the next call fetches again. */
  forget({ repo_path }: Pick<TargetedRepo, 'repo_path'>, remote: string, branch: string): void {
    this.fetches.delete(keyOf(repo_path, remote, branch));
  }

  /** The one that holds the target, else origin, else the only one. @throws AppError no_remote */
  async remoteOf(repo: TargetedRepo): Promise<string> {
    const tracked = await this.trackedTarget(repo);
    if (tracked !== null) return tracked.remote;
    const names = await this.links.names(repo);
    const [only, ...others] = names.includes('origin') ? ['origin'] : names;
    if (only === undefined || others.length > 0) throw new AppError('no_remote', { repo_name: repo.repo_name });
    return only;
  }

  /** For a clone those of its origin now; otherwise, or if that does not answer, those of the repository. The current
   *  one first. */
  async branches(repo_path: string, limit: number): Promise<string[]> {
    const known = await listBranches(this.git, repo_path, limit);
    if (!this.isClone(repo_path)) return known;
    const there = await this.branchesThere(repo_path).catch(() => known);
    const [first] = known;
    return [...there.filter((name) => name === first), ...there.filter((name) => name !== first)].slice(0, limit);
  }

  private async branchesThere(repo_path: string): Promise<string[]> {
    const link = await this.links.open({ repo_name: '', repo_path }, 'origin', 'fetch');
    const refs = await listRefs(this.git, repo_path, link, HEADS);
    return [...refs.keys()].map((ref) => ref.slice(HEADS.length + 1));
  }

  /** Local branches take precedence over remote ones. */
  private async trackedTarget(repo: TargetedRepo): Promise<{ remote: string; branch: string } | null> {
    const refs = targetRefs(repo.target_branch, this.isClone(repo.repo_path));
    const local = refs.find(({ remote }) => remote === null);
    if (local !== undefined && (await this.isThere(repo.repo_path, local.ref))) return null;
    const names = new Set(await this.links.names(repo));
    const found = refs.find(({ remote }) => remote !== null && names.has(remote));
    return found?.remote ? { remote: found.remote, branch: found.branch } : null;
  }

  private async isThere(repo_path: string, ref: string): Promise<boolean> {
    if ((await looseRefs(repo_path, [ref])).size > 0) return true;
    return (await readRefs(this.git, repo_path, [ref])).size > 0;
  }

  private fetch(repo: TargetedRepo, remote: string, branch: string, key: string): Promise<void> {
    const forget = () => {
      if (this.fetches.get(key) === done) this.fetches.delete(key);
    };
    const done = this.lanes.run(repo.repo_path, async () => {
      const link = await this.links.open(repo, remote, 'fetch');
      const commit = await fetchBranch(this.git, repo.repo_path, link, branch);
      if (commit === null) this.gone.add(key);
      else this.gone.delete(key);
    });
    this.fetches.set(key, done);
    this.running.add(key);
    done.finally(() => this.running.delete(key)).then(() => setTimeout(forget, SHARED_MS).unref(), forget);
    return done;
  }
}

const keyOf = (repo_path: string, remote: string, branch: string): string => `${repo_path}\0${remote}/${branch}`;
