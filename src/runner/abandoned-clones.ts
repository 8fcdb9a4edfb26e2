import { Inject, Injectable } from '@nestjs/common';
import { ReposRepository } from '../projects/repos.repository.js';
import { CloneOriginsRepository } from '../workspaces/clone-origins.repository.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** Clones that the server made of repositories nobody uses any more. */
@Injectable()
export class AbandonedClones {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly repoRows: ReposRepository,
    private readonly origins: CloneOriginsRepository,
  ) {}

  /** A clone goes with its project, once no worktree stands on it; so does what it was made with. */
  async discard(): Promise<void> {
    const clones = await this.host.listClones();
    for (const repo_id of await this.repoRows.listAbandoned(clones)) await this.host.discardClone(repo_id);
    await this.origins.forgetAbandoned();
  }
}
