import path from 'node:path';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Git } from '../git/git.js';
import { type LargeFiles } from './large-files.js';
import type { RemoteLink } from '../git/remote-link.js';
import { createRefs, deleteRefs, fetchRefs, listRefs } from '../git/remote-refs.js';
import type { Remotes } from './remotes.js';
import type { TreePlace } from './trees.js';
import type { Workspace, WorkspaceRepo } from './workspace-paths.js';

/** How long a remote that did not answer is left alone, because turns wait for it when they end. */
const REST_MS = 5 * 60_000;

/** Neither branches nor tags of the user. */
const savesOf = (attempt_id: string): string => `refs/taskyard/attempts/${attempt_id}`;

export interface SavedRefs {
  /** Refs of the store to save, by their last name. */
  refs: readonly string[];
  tree: TreePlace;
  /** Commit whose large files the remote may already have. */
  since: string;
}

/** Saved work of attempts in the remotes of their repositories. Each save is a new folder of refs that never moves, and
 *  the database says which one counts; so a runner that lost its lease cannot overwrite anything. */
export class RemoteSaves {
  private readonly resting = new Map<string, { until: number; reason: AppError }>();

  constructor(
    private readonly git: Git,
    private readonly remotes: Remotes,
    private readonly largeFiles: LargeFiles,
  ) {}

  /** @returns the folder. @throws AppError no_remote, remote_refused and those of a call to a remote */
  async save({ attempt_id }: Workspace, repo: WorkspaceRepo, { refs, tree, since }: SavedRefs): Promise<string> {
    const folder = `${savesOf(attempt_id)}/${newId()}`;
    await this.unlessResting(repo, async () => {
      const link = await this.link(repo, 'push');
      for (const ref of refs) await this.largeFiles.upload(tree, link, ref, since);
      const moves = refs.map((ref) => [`${folder}/${path.posix.basename(ref)}`, ref] as const);
      await createRefs(this.git, tree.store, link, new Map(moves));
    });
    return folder;
  }

  /** @param into folder of refs of a store. @throws AppError as `save` */
  async restore(repo: WorkspaceRepo, folder: string, into: { dir: string; refs: string }): Promise<void> {
    await fetchRefs(this.git, into.dir, await this.link(repo, 'fetch'), folder, into.refs);
  }

  /** @param folder null for all of the attempt. @throws AppError as `save` */
  async forget({ attempt_id }: Workspace, repo: WorkspaceRepo, folder: string | null): Promise<void> {
    await this.unlessResting(repo, async () => {
      const link = await this.link(repo, 'push');
      const refs = await listRefs(this.git, repo.repo_path, link, folder ?? savesOf(attempt_id));
      await deleteRefs(this.git, repo.repo_path, link, refs);
    });
  }

  private async link(repo: WorkspaceRepo, purpose: 'fetch' | 'push'): Promise<RemoteLink> {
    return this.remotes.links.open(repo, await this.remotes.remoteOf(repo), purpose);
  }

  private async unlessResting({ repo_path }: WorkspaceRepo, work: () => Promise<void>): Promise<void> {
    const rest = this.resting.get(repo_path);
    if (rest !== undefined && performance.now() < rest.until) throw rest.reason;
    try {
      await work();
      this.resting.delete(repo_path);
    } catch (error) {
      if (error instanceof AppError && error.code === 'remote_unreachable')
        this.resting.set(repo_path, { until: performance.now() + REST_MS, reason: error });
      throw error;
    }
  }
}
