import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Saver, WorkspaceSnapshotsRepository } from '../attempts/workspace-snapshots.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { LeasedJob } from '../platform/queue/turn-queue.js';
import type { RepositorySnapshot } from '../workspaces/saved-work.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { TurnCommits } from './turn-commits.js';

/** Keeps what an execution leaves in the worktrees: in the repository, and where there are other runners in the
 *  database too, so that the work survives this one. */
@Injectable()
export class WorkKeeper {
  private readonly logger = new Logger(WorkKeeper.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly lease: RunnerLease,
    private readonly database: Database,
    private readonly snapshotRows: WorkspaceSnapshotsRepository,
    private readonly commits: TurnCommits,
    private readonly events: AttemptEvents,
  ) {}

  /** Saves every WORKSPACE_SAVE_SECS while the work goes on. */
  async whileSaving<T>(
    workspace: Workspace,
    execution: TurnExecution,
    job: LeasedJob,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!this.isSaving(execution)) return work();
    let saving = Promise.resolve();
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      saving = this.saveNow(workspace, execution, job).finally(() => (isBusy = false));
    }, this.environment.WORKSPACE_SAVE_SECS * 1_000);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await saving;
    }
  }

  /** @returns what is to be written in the transaction that ends the execution */
  async settle(
    workspace: Workspace,
    execution: TurnExecution,
    end: ExecutionEnd,
    job: LeasedJob,
  ): Promise<(tx: Transaction) => Promise<void>> {
    await this.host.settle(workspace).catch((error: unknown) => {
      this.logger.warn({ err: error, attempt_id: execution.attempt_id }, 'the worktree could not be settled');
    });
    if (job.lost.aborted) return () => Promise.resolve();
    await this.commits.count(workspace, execution);
    await this.commits.commit(workspace, execution, end);
    const snapshots = this.isSaving(execution) ? await this.snapshot(workspace, execution) : [];
    return (tx) => this.store(tx, execution, snapshots);
  }

  /** One process alone has nobody to leave its work to. What a setup script makes is made anew by it. */
  private isSaving({ run_reason }: TurnExecution): boolean {
    const { CLUSTER_SECRET, WORKSPACE_STORE } = this.environment;
    return CLUSTER_SECRET !== '' && WORKSPACE_STORE === 'database' && run_reason !== 'setupscript';
  }

  private async saveNow(workspace: Workspace, execution: TurnExecution, job: LeasedJob): Promise<void> {
    const snapshots = await this.snapshot(workspace, execution);
    if (snapshots.length === 0 || job.lost.aborted) return;
    try {
      await this.database.transaction((tx) => this.store(tx, execution, snapshots));
    } catch (error) {
      this.logger.warn({ err: error, attempt_id: execution.attempt_id }, 'the work could not be saved yet');
    }
  }

  /** A turn does not fail because its work could not be saved. */
  private async snapshot(workspace: Workspace, { attempt_id }: TurnExecution): Promise<RepositorySnapshot[]> {
    try {
      const known = await this.snapshotRows.fingerprints(attempt_id);
      const maxBytes = this.environment.WORKSPACE_SNAPSHOT_MAX_BYTES;
      return await this.host.snapshot(workspace, { known, maxBytes });
    } catch (error) {
      this.logger.warn({ err: error, attempt_id }, 'the work could not be saved');
      return [];
    }
  }

  private async store(tx: Transaction, execution: TurnExecution, snapshots: RepositorySnapshot[]): Promise<void> {
    if (snapshots.length === 0) return;
    const { id: execution_id, attempt_id, job_id } = execution;
    const saver: Saver = { execution_id, attempt_id, job_id, runner_id: this.lease.id };
    await this.snapshotRows.store(tx, saver, snapshots);
    const tooLarge = snapshots.filter(({ is_too_large }) => is_too_large).map(({ repo_name }) => repo_name);
    if (tooLarge.length > 0)
      await this.events.workNotSaved(tx, execution, tooLarge, this.environment.WORKSPACE_SNAPSHOT_MAX_BYTES);
  }
}
