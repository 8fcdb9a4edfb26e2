import { Injectable, Logger } from '@nestjs/common';
import { AttemptsRepository } from '../../attempts/attempts.repository.js';
import { AttemptsService } from '../../attempts/attempts.service.js';
import { unmadeKey } from '../../attempts/ready-workspaces.js';
import { AttemptEvents } from '../../executions/attempt-events.js';
import { ExecutionsRepository } from '../../executions/executions.repository.js';
import { ChangeHub } from '../../platform/database/change-hub.js';
import { Database } from '../../platform/database/database.js';
import { toAppError } from '../../platform/errors/to-app-error.js';
import { WorkspacePreparation } from '../workspace-preparation.js';

/** Worktrees for readers. */
@Injectable()
export class IdlePreparation {
  private readonly logger = new Logger(IdlePreparation.name);

  constructor(
    private readonly preparation: WorkspacePreparation,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly events: AttemptEvents,
    private readonly hub: ChangeHub,
  ) {}

  /** For an idle attempt, because a live turn makes them itself. A failure is reported; the next reader, follow-up or
   *  retry tries again. */
  async prepare(attempt_id: string): Promise<void> {
    const [attempt] = await this.attemptRows.listByIds([attempt_id]);
    if (attempt === undefined || !(await this.preparation.isNeeded(attempt))) return;
    if ((await this.executionRows.findLive(attempt_id)) !== null) return;
    try {
      await this.preparation.prepareAtHome(attempt, await this.attempts.workspace(attempt));
    } catch (error) {
      const refusal = toAppError(error);
      this.logger.warn({ err: error, attempt_id }, 'the worktrees could not be made');
      await this.reportLost(attempt_id, refusal?.message ?? 'unexpected error in the server');
      if (refusal === null || refusal.row.retryable) throw error;
      for (const key of [unmadeKey(attempt_id), attempt_id]) this.hub.changed(key); // waiters give up
    }
  }

  private async reportLost(attempt_id: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const isNew = await this.attemptRows.setWorkspaceState(attempt_id, 'lost');
      if (isNew) await this.events.workspaceLost(tx, attempt_id, reason);
    });
  }
}
