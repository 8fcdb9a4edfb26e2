import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { Attempt } from './attempt.entity.js';
import { AttemptsRepository } from './attempts.repository.js';
import { AttemptsService } from './attempts.service.js';

const READY_WAIT_MS = 5_000;

/** The worktrees of an attempt, for those who need them now. */
@Injectable()
export class ReadyWorkspaces {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly hub: ChangeHub,
    private readonly runner: RunnerLease,
  ) {}

  /** The worktrees, once they are there; waits at most 5 s for them. */
  async ready(attempt_id: string, principal: Principal): Promise<Workspace> {
    const attempt = await this.hub.waitFor(attempt_id, READY_WAIT_MS, async () => {
      const row = await this.attemptRows.get(principal, attempt_id);
      return row.workspace_state === 'preparing' ? null : row;
    });
    if (attempt === null) throw new AppError('workspace_not_ready', { attempt_id });
    return attempt.workspace_state === 'ready' ? this.attempts.workspace(attempt) : this.prepareAgain(attempt);
  }

  /** Worktrees that housekeeping took after a long rest, or could not make, are made from their branch.
   *  @throws AppError workspace_lost, or a refusal that another try may overcome */
  private async prepareAgain(attempt: Attempt): Promise<Workspace> {
    try {
      const baseCommits = await this.host.prepare(await this.attempts.workspace(attempt));
      await this.attemptRows.setReady(attempt.id, attempt.runner_id ?? this.runner.id, baseCommits);
      return await this.attempts.workspace(attempt); // now with the base commits
    } catch (error) {
      const refusal = toAppError(error);
      if (attempt.workspace_state === 'removed' || refusal === null || refusal.row.retryable) throw error;
      const { id: attempt_id, branch: workspace_branch } = attempt;
      throw new AppError('workspace_lost', { attempt_id, workspace_branch, reason: refusal.message });
    }
  }
}
