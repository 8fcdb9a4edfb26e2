import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../platform/git/git.js';
import { KeyedLimit } from '../platform/git/keyed-limit.js';
import { listBranches, looseRefs, readRefs } from '../platform/git/refs.js';
import { fetchBranch } from '../platform/git/remote-branches.js';
import { listRefs } from '../platform/git/remote-refs.js';
import type { RemoteLinks } from './remote-links.js';
import { type TargetRef, targetRefs } from './target-refs.js';
import type { WorkspaceRepo } from './workspace.js';

export type TargetedRepo = Pick<WorkspaceRepo, 'repo_name' | 'repo_path' | 'target_branch'>;

/** Whoever asks within this time after a fetch shares it. */
const SHARED_MS = 5_000;
const HEADS = 'refs/heads';

/** What is known here of the remotes of repositories. One fetch of a repository at a time. */
export class Remotes {
  private readonly lanes = new KeyedLimit();
  /** Those that run and those that have just ended, by their branch. */
  private readonly fetches = new Map<string, Promise<void>>();
  private readonly running = new Set<string>();
  /** Branches that their remote had no more at the last fetch, though the repository still shows them. */
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

  /** Fetches the target where it is a branch of a remote; nothing of the user moves.
   *  @param options `isFresh`: only a fetch that still runs is shared
   *  @throws AppError remote_unreachable, remote_auth_failed, remote_not_found, repo_invalid, git_failed */
  async refresh(repo: TargetedRepo, { isFresh = false } = {}): Promise<void> {
    const place = await this.trackedTarget(repo);
    if (place === null) return;
    const key = keyOf(repo.repo_path, place.remote, place.branch);
    if (isFresh && !this.running.has(key)) this.fetches.delete(key);
    await (this.fetches.get(key) ?? this.fetch(repo, place.remote, place.branch, key));
  }

  /** The branch may have moved since: whoever asks next fetches again. */
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

  /** Of a clone those that its origin has now, else, or where that does not answer, those of the repository; the
   *  current one first. */
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

  /** A branch of the user's repository goes before one of a remote. */
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
