import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { RunnersRepository } from '../platform/cluster/runners.repository.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { WorkspaceTakeover } from './workspace-takeover.js';

/** Makes the worktrees of an attempt on this runner, for its turn or for those who only read. */
@Injectable()
export class WorkspacePreparation {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly hub: ChangeHub,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly takeover: WorkspaceTakeover,
  ) {}

  /** Whether they are missing, or on a runner that is gone. */
  async isNeeded({ workspace_state, runner_id }: Attempt): Promise<boolean> {
    if (['preparing', 'lost'].includes(workspace_state)) return true;
    if (runner_id === null || runner_id === this.lease.id) return false;
    return (await this.runnerRows.find(runner_id))?.is_gone !== false;
  }

  /** What is missing of them; may be repeated. */
  async prepare(attempt: Attempt, workspace: Workspace): Promise<void> {
    if (attempt.runner_id !== null && attempt.runner_id !== this.lease.id)
      return this.takeover.takeOver(attempt, workspace);
    const baseCommits = await this.host.prepare(workspace);
    if (attempt.workspace_state === 'ready' && attempt.runner_id === this.lease.id) return;
    await this.attemptRows.setReady(attempt.id, this.lease.id, baseCommits);
    this.hub.changed(attempt.id);
  }
}
