import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** Makes the worktrees of an attempt, for its turn or for those who only read. */
@Injectable()
export class WorkspacePreparation {
  private readonly logger = new Logger(WorkspacePreparation.name);

  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly runner: RunnerLease,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly events: AttemptEvents,
  ) {}

  /** What is missing of them; may be repeated. */
  async prepare(attempt: Attempt, workspace: Workspace): Promise<void> {
    const baseCommits = await this.host.prepare(workspace);
    if (attempt.workspace_state === 'ready' && attempt.runner_id === this.runner.id) return;
    await this.attemptRows.setReady(attempt.id, this.runner.id, baseCommits);
    this.hub.changed(attempt.id);
  }

  /** For an attempt in which nothing runs; a live turn makes them itself. Whatever fails is reported and leaves the
   *  attempt to whoever needs it next: a reader, a follow-up, or the queue, which repeats what another try may
   *  overcome. */
  async prepareIdle(attempt_id: string): Promise<void> {
    const [attempt] = await this.attemptRows.listByIds([attempt_id]);
    if (attempt === undefined || !['preparing', 'lost'].includes(attempt.workspace_state)) return;
    if ((await this.executionRows.findLive(attempt_id)) !== null) return;
    try {
      await this.prepare(attempt, await this.attempts.workspace(attempt));
    } catch (error) {
      const refusal = toAppError(error);
      this.logger.warn({ err: error, attempt_id }, 'the worktrees could not be made');
      await this.reportLost(attempt_id, refusal?.message ?? 'unexpected error in the server');
      if (refusal === null || refusal.row.retryable) throw error;
    }
  }

  private async reportLost(attempt_id: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const isNew = await this.attemptRows.setWorkspaceState(attempt_id, 'lost');
      if (isNew) await this.events.workspaceLost(tx, attempt_id, reason);
    });
  }
}
