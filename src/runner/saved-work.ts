import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  type KnownSnapshot,
  type Saver,
  WorkspaceSnapshotsRepository,
} from '../attempts/workspace-snapshots.repository.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import type { LeasedJob } from '../cluster/turn-claims.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { AgentSessionFile } from '../sessions/agent-session-files.repository.js';
import type { RemoteSave, RepositorySnapshot } from '../workspaces/saved-work.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { Ending } from '../turns/turn-endings.js';
import { AgentSessions } from './agent-sessions.js';
import { retryUntilAvailable } from './retry-until-available.js';
import { TurnCommits } from './turn-commits.js';

/** Work read from the worktrees, and what was saved before. */
interface RepositoryWork {
  snapshots: readonly RepositorySnapshot[];
  known: readonly KnownSnapshot[];
}

interface WorkNow extends RepositoryWork {
  workspace: Workspace;
  execution: TurnExecution;
  /** Null if nothing is new, or there is none. */
  session: AgentSessionFile | null;
}

/** Written in the transaction that ends an execution. */
type Keep = (tx: Transaction) => Promise<void>;

/** An execution that ended here, and what is still to be written about it. */
export interface FinishedExecution {
  end: ExecutionEnd;
  ending: Ending;
  keep: Keep;
}

const NOTHING: Keep = () => Promise.resolve();

/** What an execution leaves in the worktrees: committed to the branch if the project wants that and, in a cluster,
 *  saved in the database or the remotes. The row, fenced by the lease, says which save counts; saves in a remote are
 *  never overwritten. */
@Injectable()
export class SavedWork {
  private readonly logger = new Logger(SavedWork.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly lease: RunnerLease,
    private readonly snapshotRows: WorkspaceSnapshotsRepository,
    private readonly events: AttemptEvents,
    private readonly sessions: AgentSessions,
    private readonly commits: TurnCommits,
  ) {}

  /** Saves every WORKSPACE_SAVE_SECS while the process works. */
  async whileSaving<T>(
    workspace: Workspace,
    execution: TurnExecution,
    job: LeasedJob,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!this.isSaved(execution)) return work();
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

  /** Called when the process has ended. @returns what to write in the transaction that ends the execution */
  async keepAll(workspace: Workspace, execution: TurnExecution, end: ExecutionEnd, job: LeasedJob): Promise<Keep> {
    if (job.lost.aborted || execution.run_reason === 'review') return NOTHING; // it has changed nothing
    await this.commits.takeIn(workspace, execution, end, job.lost);
    if (job.lost.aborted) return NOTHING;
    // in parallel, because whoever stopped the turn waits for it
    const [keep] = await Promise.all([
      this.keep(workspace, execution, job),
      this.commits.assess(workspace, execution, job.lost),
    ]);
    return keep;
  }

  /** Of an attempt that rests, under its lock, before its runner ends: what changed since its last turn, as by an
   *  update of its branch. */
  async keepResting(tx: Transaction, workspace: Workspace): Promise<void> {
    const { snapshots, known } = await this.readRepositories(workspace);
    const { attempt_id } = workspace;
    const saver: Saver = { attempt_id, execution_id: null, job_id: null, runner_id: this.lease.id };
    await this.storeRepositories(tx, workspace, saver, { snapshots, known });
  }

  private async keep(workspace: Workspace, execution: TurnExecution, job: LeasedJob): Promise<Keep> {
    if (!this.isSaved(execution) || !(await isHeld(job))) return NOTHING;
    const work = await retryUntilAvailable(job.lost, () => this.read(workspace, execution));
    return work === null ? NOTHING : (tx) => this.store(tx, work);
  }

  private async saveNow(workspace: Workspace, execution: TurnExecution, job: LeasedJob): Promise<void> {
    if (!(await isHeld(job))) return;
    try {
      const work = await this.read(workspace, execution);
      if (work.snapshots.length === 0 && work.session === null) return;
      if (job.lost.aborted) return this.forget(workspace, work.snapshots); // nobody will use this save
      await this.database.transaction(async (tx) => {
        if (await job.isHeld()) await this.store(tx, work);
        else tx.afterCommit(() => this.forget(workspace, work.snapshots));
      });
    } catch (error) {
      this.logger.warn({ err: error, attempt_id: execution.attempt_id }, 'the work could not be saved yet');
    }
  }

  /** A single process has nobody to save for, results of setup scripts are made again, and a review makes none. */
  private isSaved({ run_reason }: TurnExecution): boolean {
    const { CLUSTER_SECRET, WORKSPACE_STORE } = this.environment;
    return CLUSTER_SECRET !== '' && WORKSPACE_STORE !== 'none' && !['setupscript', 'review'].includes(run_reason);
  }

  /** A failed save does not fail the turn; a database that is away is an error to be waited out. */
  private async read(workspace: Workspace, execution: TurnExecution): Promise<WorkNow> {
    const session = await this.sessions.read(execution, workspace);
    return { workspace, execution, session, ...(await this.readRepositories(workspace)) };
  }

  private async readRepositories(workspace: Workspace): Promise<RepositoryWork> {
    const { WORKSPACE_SNAPSHOT_MAX_BYTES: maxBytes, WORKSPACE_STORE } = this.environment;
    const store = WORKSPACE_STORE === 'remote' ? 'remote' : 'database';
    const { attempt_id } = workspace;
    const known = await this.snapshotRows.known(attempt_id);
    try {
      const fingerprints = Object.fromEntries(known.map((row) => [row.repo_name, row.fingerprint]));
      return { snapshots: await this.host.snapshot(workspace, { known: fingerprints, maxBytes, store }), known };
    } catch (error) {
      this.logger.warn({ err: error, attempt_id }, 'the work could not be saved');
      return { snapshots: [], known };
    }
  }

  private async store(tx: Transaction, { workspace, execution, snapshots, known, session }: WorkNow): Promise<void> {
    if (session !== null) await this.sessions.store(tx, execution, session);
    if (snapshots.length === 0) return;
    const { id: execution_id, attempt_id, job_id } = execution;
    const saver: Saver = { execution_id, attempt_id, job_id, runner_id: this.lease.id };
    if (await this.storeRepositories(tx, workspace, saver, { snapshots, known }))
      await this.tell(tx, execution, snapshots, known);
  }

  /** @returns false where the saver may not save any more */
  private async storeRepositories(
    tx: Transaction,
    workspace: Workspace,
    saver: Saver,
    { snapshots, known }: RepositoryWork,
  ): Promise<boolean> {
    const isStored = await this.snapshotRows.store(tx, saver, snapshots);
    // read from the row, because this may repeat a transaction whose answer was lost
    const counted = (await this.snapshotRows.known(saver.attempt_id)).map(({ remote }) => remote);
    const forgotten = [...known, ...snapshots].filter(({ remote }) => !counted.includes(remote));
    tx.afterCommit(() => this.forget(workspace, forgotten));
    return isStored;
  }

  private async tell(
    tx: Transaction,
    execution: TurnExecution,
    snapshots: readonly RepositorySnapshot[],
    known: readonly KnownSnapshot[],
  ): Promise<void> {
    const tooLarge = snapshots.filter(({ is_too_large }) => is_too_large).map(({ repo_name }) => repo_name);
    if (tooLarge.length > 0)
      await this.events.workNotSaved(tx, execution, tooLarge, this.environment.WORKSPACE_SNAPSHOT_MAX_BYTES);
    for (const { repo_name, remote_failure: reason } of snapshots) {
      const before = known.find((row) => row.repo_name === repo_name)?.remote_failure;
      if (reason !== null && reason !== before) await this.events.workNotInRemote(tx, execution, { repo_name, reason });
    }
  }

  /** What cannot be removed stays in the remote until the attempt is removed. */
  private forget(workspace: Workspace, rows: readonly Pick<KnownSnapshot, 'repo_name' | 'remote'>[]): void {
    const saves = rows.filter((row): row is RemoteSave => row.remote !== null);
    if (saves.length === 0) return;
    this.host.forgetSaves(workspace, saves).catch((error: unknown) => {
      this.logger.warn({ err: error, attempt_id: workspace.attempt_id }, 'saved work of before is still in its remote');
    });
  }
}

/** Checked before a save goes to a remote, because this process may have slept. While the database is away, the lease
 *  decides. */
const isHeld = (job: LeasedJob): Promise<boolean> => job.isHeld().catch(() => !job.lost.aborted);
