import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../../attempts/attempt.entity.js';
import { AttemptsRepository } from '../../attempts/attempts.repository.js';
import { AttemptsService } from '../../attempts/attempts.service.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { ExecutionsRepository } from '../../executions/executions.repository.js';
import { localOwner } from '../../platform/access/principal.js';
import { Database } from '../../platform/database/database.js';
import { RunnerLease } from '../../cluster/runner-lease.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../../workspaces/workspace-host.js';
import { WorkspaceDisposal } from './workspace-disposal.js';

/** Removes long idle worktrees without uncommitted work; they are created again from the branch when needed. */
@Injectable()
export class WorkspaceExpiry {
  private readonly logger = new Logger(WorkspaceExpiry.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly runner: RunnerLease,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly disposal: WorkspaceDisposal,
  ) {}

  /** An attempt that fails is tried again next time; the others go on. */
  async expire(): Promise<void> {
    const { WORKTREE_TTL_HOURS } = this.environment;
    if (WORKTREE_TTL_HOURS === 0) return;
    for (const attempt of await this.attemptRows.listExpired(this.runner.id, WORKTREE_TTL_HOURS)) {
      try {
        await this.expireOne(attempt);
      } catch (error) {
        this.logger.warn({ err: error, attempt_id: attempt.id }, 'idle worktrees could not be removed');
      }
    }
  }

  private async expireOne(attempt: Attempt): Promise<void> {
    if (await this.host.isDirty(await this.attempts.workspace(attempt))) return;
    if (await this.retire(attempt.id)) await this.disposal.remove(attempt, false);
  }

  /** From here on the worktrees are made again when needed. @returns false if a turn came first */
  private retire(attempt_id: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await this.attemptRows.lock(tx, localOwner, attempt_id);
      if ((await this.executionRows.findLive(attempt_id)) !== null) return false;
      await this.attemptRows.setWorkspaceState(attempt_id, 'removed');
      return true;
    });
  }
}
