import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { orStray, strayKey } from '../attempts/ready-workspaces.js';
import { WorkspaceSnapshotsRepository } from '../attempts/workspace-snapshots.repository.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { RunnersRepository } from '../cluster/runners.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { localOwner } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import { Database } from '../platform/database/database.js';
import { KeyedLimit } from '../git/limits.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** Creates the worktrees of an attempt on this runner, for its turn or for readers. */
@Injectable()
export class WorkspacePreparation {
  private readonly attempts = new KeyedLimit();

  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly hub: ChangeHub,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly snapshotRows: WorkspaceSnapshotsRepository,
    private readonly events: AttemptEvents,
    private readonly database: Database,
  ) {}

  /** Whether they are missing, or on a lost runner. */
  async isNeeded({ workspace_state, runner_id }: Attempt): Promise<boolean> {
    if (['preparing', 'lost'].includes(workspace_state)) return true;
    return runner_id !== null && runner_id !== this.lease.id && !(await this.isElsewhere({ runner_id }));
  }

  /** Creates what is missing here for a turn; repeatable. */
  prepare(attempt: Attempt, workspace: Workspace): Promise<void> {
    const { id, runner_id: from, workspace_state } = attempt;
    const to = this.lease.id;
    return this.alone(id, () =>
      orStray(this.hub, to, async () => {
        if (from !== null && from !== to) return this.takeOver(attempt, from, workspace);
        const baseCommits = await this.host.prepare(workspace);
        if (workspace_state === 'ready' && from === to) return this.requireHome(id);
        await this.attemptRows.setReady(id, { from, to }, baseCommits);
        this.hub.changed(id);
      }),
    );
  }

  /** The same, on their present home if it lives. */
  async prepareAtHome(attempt: Attempt, workspace: Workspace): Promise<void> {
    if (!(await this.isElsewhere(attempt))) return this.prepare(attempt, workspace);
    const { id } = attempt;
    const home = attempt.runner_id!;
    await orStray(this.hub, home, async () => {
      const baseCommits = await this.host.prepare(workspace);
      await this.attemptRows.setReady(id, { from: home, to: home }, baseCommits);
      this.hub.changed(id);
    });
  }

  /** Whether another living runner holds them. */
  async isElsewhere({ runner_id }: Pick<Attempt, 'runner_id'>): Promise<boolean> {
    if (runner_id === null || runner_id === this.lease.id) return false;
    return (await this.runnerRows.find(runner_id))?.is_gone === false;
  }

  /** Excludes preparation of the attempt's worktrees meanwhile. */
  alone<T>(attempt_id: string, work: () => Promise<T>): Promise<T> {
    return this.attempts.run(attempt_id, work);
  }

  /** One that was frozen meanwhile may have made again what another runner had taken over.
   *  @throws AppError workspace_not_ready */
  private async requireHome(attempt_id: string): Promise<void> {
    const [stray] = await this.attemptRows.listStrays([attempt_id], this.lease.id);
    if (stray && (stray.is_deleted || stray.runner_id !== this.lease.id))
      throw new AppError('workspace_not_ready', { attempt_id });
  }

  /** Makes this runner the new home of an attempt whose home is lost, from the work saved last, unless it has become
   *  that meanwhile: then a turn may be at work here.
   *  @throws AppError workspace_not_ready where another runner was faster */
  private async takeOver({ id }: Attempt, from: string, workspace: Workspace): Promise<void> {
    if ((await this.attemptRows.listStrays([id], this.lease.id)).length === 0) return;
    const snapshots = await this.snapshotRows.list(id);
    const baseCommits = await this.host.rebuild(workspace, { from, snapshots });
    const saved_at = snapshots.map((snapshot) => snapshot.saved_at).sort((a, b) => b.getTime() - a.getTime())[0];
    await this.database.transaction(async (tx) => {
      await this.attemptRows.lock(tx, localOwner, id);
      await this.attemptRows.setReady(id, { from, to: this.lease.id }, baseCommits);
      await this.hub.announce(tx, strayKey(from));
      await this.events.moved(tx, id, { from, to: this.lease.id, saved_at: saved_at ?? null });
    });
  }
}
