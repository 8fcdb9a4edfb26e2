import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { RunnersRepository } from '../platform/cluster/runners.repository.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { KeyedLimit } from '../platform/git/keyed-limit.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { WorkspaceTakeover } from './workspace-takeover.js';

/** Makes the worktrees of an attempt on this runner, for its turn or for those who only read. */
@Injectable()
export class WorkspacePreparation {
  private readonly attempts = new KeyedLimit();

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
    return runner_id !== null && runner_id !== this.lease.id && !(await this.isElsewhere({ runner_id }));
  }

  /** Makes what is missing of them here, as a turn needs it; may be repeated. */
  prepare(attempt: Attempt, workspace: Workspace): Promise<void> {
    const { id, runner_id: from, workspace_state } = attempt;
    return this.alone(id, async () => {
      if (from !== null && from !== this.lease.id) return this.takeover.takeOver(attempt, from, workspace);
      const baseCommits = await this.host.prepare(workspace);
      if (workspace_state === 'ready' && from === this.lease.id) return;
      await this.attemptRows.setReady(id, { from, to: this.lease.id }, baseCommits);
      this.hub.changed(id);
    });
  }

  /** The same where their home is: it stays their home for as long as it lives. */
  async prepareAtHome(attempt: Attempt, workspace: Workspace): Promise<void> {
    if (!(await this.isElsewhere(attempt))) return this.prepare(attempt, workspace);
    const { id, runner_id } = attempt;
    const baseCommits = await this.host.prepare(workspace);
    await this.attemptRows.setReady(id, { from: runner_id, to: runner_id! }, baseCommits);
    this.hub.changed(id);
  }

  /** Whether another runner lives that holds them. */
  async isElsewhere({ runner_id }: Pick<Attempt, 'runner_id'>): Promise<boolean> {
    if (runner_id === null || runner_id === this.lease.id) return false;
    return (await this.runnerRows.find(runner_id))?.is_gone === false;
  }

  /** Nothing is made of the worktrees of the attempt meanwhile. */
  alone<T>(attempt_id: string, work: () => Promise<T>): Promise<T> {
    return this.attempts.run(attempt_id, work);
  }
}
