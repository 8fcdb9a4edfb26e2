import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { LeasedJob } from '../platform/queue/turn-queue.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { TurnCommits } from './turn-commits.js';
import { WorkSnapshots } from './work-snapshots.js';

/** Keeps what an execution leaves in the worktrees: in the repository, and where there are other runners in the
 *  database too, so that the work survives this one. */
@Injectable()
export class WorkKeeper {
  private readonly logger = new Logger(WorkKeeper.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly snapshots: WorkSnapshots,
    private readonly commits: TurnCommits,
  ) {}

  /** Saves every WORKSPACE_SAVE_SECS while the work goes on. */
  async whileSaving<T>(
    workspace: Workspace,
    execution: TurnExecution,
    job: LeasedJob,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!this.snapshots.isTakenOf(execution)) return work();
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
    // whoever stopped the turn waits for all of it
    const [keep] = await Promise.all([
      this.committed(workspace, execution, end, job),
      this.commits.count(workspace, execution),
    ]);
    return keep;
  }

  private async committed(
    workspace: Workspace,
    execution: TurnExecution,
    end: ExecutionEnd,
    job: LeasedJob,
  ): Promise<(tx: Transaction) => Promise<void>> {
    await this.commits.commit(workspace, execution, end);
    if (!this.snapshots.isTakenOf(execution) || !(await isHeld(job))) return () => Promise.resolve();
    const taken = await this.snapshots.take(workspace, execution);
    return (tx) => this.snapshots.store(tx, taken);
  }

  private async saveNow(workspace: Workspace, execution: TurnExecution, job: LeasedJob): Promise<void> {
    if (!(await isHeld(job))) return;
    const taken = await this.snapshots.take(workspace, execution);
    if (taken.snapshots.length === 0 && taken.session === null) return;
    if (job.lost.aborted) return this.snapshots.abandon(taken);
    try {
      await this.database.transaction((tx) => this.snapshots.store(tx, taken));
    } catch (error) {
      this.logger.warn({ err: error, attempt_id: execution.attempt_id }, 'the work could not be saved yet');
    }
  }
}

/** A save may go to a remote before the database says whether it counts: whoever has slept asks first. Where the
 *  database is away for a moment, the lease decides. */
const isHeld = (job: LeasedJob): Promise<boolean> => job.isHeld().catch(() => !job.lost.aborted);
