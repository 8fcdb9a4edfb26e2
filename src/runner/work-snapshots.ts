import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  type KnownSnapshot,
  type Saver,
  WorkspaceSnapshotsRepository,
} from '../attempts/workspace-snapshots.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { AgentSessionFile } from '../sessions/agent-session-files.repository.js';
import type { RemoteSave, RepositorySnapshot } from '../workspaces/saved-work.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { AgentSessions } from './agent-sessions.js';

/** Work as it was read from the worktrees, and what had been saved before. */
export interface TakenWork {
  workspace: Workspace;
  execution: TurnExecution;
  snapshots: readonly RepositorySnapshot[];
  known: readonly KnownSnapshot[];
  /** Null where nothing of it is new, or there is none. */
  session: AgentSessionFile | null;
}

/** The saved work of attempts: in the database, or in the remotes of their repositories, where the row says which save
 *  counts. The row is fenced by the lease, and a save in a remote is never written again. */
@Injectable()
export class WorkSnapshots {
  private readonly logger = new Logger(WorkSnapshots.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly lease: RunnerLease,
    private readonly snapshotRows: WorkspaceSnapshotsRepository,
    private readonly events: AttemptEvents,
    private readonly sessions: AgentSessions,
  ) {}

  /** One process alone has nobody to leave its work to. What a setup script makes is made anew by it. */
  isTakenOf({ run_reason }: TurnExecution): boolean {
    const { CLUSTER_SECRET, WORKSPACE_STORE } = this.environment;
    return CLUSTER_SECRET !== '' && WORKSPACE_STORE !== 'none' && run_reason !== 'setupscript';
  }

  /** A turn does not fail because its work could not be saved. */
  async take(workspace: Workspace, execution: TurnExecution): Promise<TakenWork> {
    const { WORKSPACE_SNAPSHOT_MAX_BYTES: maxBytes, WORKSPACE_STORE } = this.environment;
    const store = WORKSPACE_STORE === 'remote' ? 'remote' : 'database';
    const session = await this.sessions.take(execution, this.host.workingDirectory(workspace));
    try {
      const known = await this.snapshotRows.known(execution.attempt_id);
      const fingerprints = Object.fromEntries(known.map((row) => [row.repo_name, row.fingerprint]));
      const snapshots = await this.host.snapshot(workspace, { known: fingerprints, maxBytes, store });
      return { workspace, execution, snapshots, known, session };
    } catch (error) {
      this.logger.warn({ err: error, attempt_id: execution.attempt_id }, 'the work could not be saved');
      return { workspace, execution, snapshots: [], known: [], session };
    }
  }

  async store(tx: Transaction, { workspace, execution, snapshots, known, session }: TakenWork): Promise<void> {
    if (session !== null) await this.sessions.store(tx, execution, session);
    if (snapshots.length === 0) return;
    const { id: execution_id, attempt_id, job_id } = execution;
    const saver: Saver = { execution_id, attempt_id, job_id, runner_id: this.lease.id };
    const isStored = await this.snapshotRows.store(tx, saver, snapshots);
    if (!isStored) return this.forget(workspace, snapshots); // another runner goes on with the attempt
    const replacing = new Set(snapshots.filter(({ is_too_large }) => !is_too_large).map(({ repo_name }) => repo_name));
    const replaced = known.filter(({ repo_name }) => replacing.has(repo_name));
    this.database.afterCommit(() => this.forget(workspace, replaced));
    await this.tell(tx, execution, snapshots, known);
  }

  /** Of a runner that lost the attempt meanwhile: its save counts for nobody. */
  abandon({ workspace, snapshots }: TakenWork): void {
    this.forget(workspace, snapshots);
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

  /** What fails stays in the remote until the attempt is removed. */
  private forget(workspace: Workspace, rows: readonly Pick<KnownSnapshot, 'repo_name' | 'remote'>[]): void {
    const saves = rows.filter((row): row is RemoteSave => row.remote !== null);
    if (saves.length === 0) return;
    this.host.forgetSaves(workspace, saves).catch((error: unknown) => {
      this.logger.warn({ err: error, attempt_id: workspace.attempt_id }, 'saved work of before is still in its remote');
    });
  }
}
