import { Inject, Injectable } from '@nestjs/common';
import { ReposRepository } from '../projects/repos.repository.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** Clones that the server made of repositories nobody uses any more. */
@Injectable()
export class AbandonedClones {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly repoRows: ReposRepository,
  ) {}

  /** A clone goes with its project, once no worktree stands on it. */
  async discard(): Promise<void> {
    const clones = await this.host.listClones();
    for (const repo_id of await this.repoRows.listAbandoned(clones)) await this.host.discardClone(repo_id);
  }
}
