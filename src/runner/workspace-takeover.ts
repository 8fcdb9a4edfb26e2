import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { WorkspaceSnapshotsRepository } from '../attempts/workspace-snapshots.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { localOwner } from '../platform/access/principal.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** Under which the hub tells a runner that another one goes on with an attempt of it. */
export const strayKey = (runner_id: string): string => `stray:${runner_id}`;

/** Makes this runner the home of an attempt whose home is gone, with the work that was saved last. */
@Injectable()
export class WorkspaceTakeover {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly lease: RunnerLease,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly attemptRows: AttemptsRepository,
    private readonly snapshotRows: WorkspaceSnapshotsRepository,
    private readonly events: AttemptEvents,
  ) {}

  /** May be repeated. @throws AppError workspace_not_ready where another runner was faster */
  async takeOver({ id }: Attempt, from: string, workspace: Workspace): Promise<void> {
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
