import { Inject, Injectable } from '@nestjs/common';
import { ReposRepository } from '../../projects/repos.repository.js';
import { CloneOriginsRepository } from '../../workspaces/clone-origins.repository.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../../workspaces/workspace-host.js';

/** Removes the server's clones of repositories that are no longer used. */
@Injectable()
export class AbandonedClones {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly repoRows: ReposRepository,
    private readonly origins: CloneOriginsRepository,
  ) {}

  /** A clone and its credentials are removed with the project, once it has no worktrees. */
  async discard(): Promise<void> {
    const clones = await this.host.listClones();
    for (const repo_id of await this.repoRows.listAbandoned(clones)) await this.host.discardClone(repo_id);
    await this.origins.forgetAbandoned();
  }
}
