import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { ToolInvocationsRepository } from '../audit/tool-invocations.repository.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { LogRepository } from '../executions/log.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { localOwner } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import { RunnerIdentity } from '../platform/queue/runner-identity.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { DISPOSE_WORKSPACES, EXPIRE_WORKSPACES, PREPARE_WORKSPACE, PRUNE_RECORDS } from './chores.js';

/** Work nobody waits for: jobs of the queue, so that a restart loses none. */
@Injectable()
export class Housekeeping {
  private readonly logger = new Logger(Housekeeping.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly database: Database,
    private readonly runner: RunnerIdentity,
    private readonly attempts: AttemptsRepository,
    private readonly workspaces: AttemptsService,
    private readonly executions: ExecutionsRepository,
    private readonly logs: LogRepository,
    private readonly idempotency: IdempotencyService,
    private readonly invocations: ToolInvocationsRepository,
    private readonly hub: ChangeHub,
  ) {}

  async start(): Promise<void> {
    this.queue.workHousekeeping({
      [PREPARE_WORKSPACE]: ({ attempt_id }) => this.prepare(attempt_id as string),
      [DISPOSE_WORKSPACES]: ({ attempt_ids }) => this.dispose(attempt_ids as string[]),
      [EXPIRE_WORKSPACES]: () => this.expire(),
      [PRUNE_RECORDS]: () => this.prune(),
    });
    await this.queue.schedule(PRUNE_RECORDS, '7 * * * *');
    await this.queue.schedule(EXPIRE_WORKSPACES, '*/30 * * * *');
  }

  /** Records that only serve for a while. */
  private async prune(): Promise<void> {
    await this.idempotency.prune();
    if (this.environment.TOOL_INVOCATIONS_TTL_DAYS > 0)
      await this.invocations.prune(this.environment.TOOL_INVOCATIONS_TTL_DAYS);
  }

  private async prepare(attempt_id: string): Promise<void> {
    const [attempt] = await this.attempts.listByIds([attempt_id]);
    const isNeeded = attempt?.workspace_state === 'preparing' && (await this.executions.findLive(attempt_id)) === null; // a live run makes them itself
    if (!isNeeded) return;
    try {
      await this.attempts.setReady(
        attempt_id,
        this.runner.id,
        await this.host.prepare(await this.workspaces.workspace(attempt)),
      );
    } catch (error) {
      if (toAppError(error)?.row.retryable) throw error;
      this.logger.warn({ err: error, attempt_id }, 'the worktrees could not be made');
      await this.attempts.setWorkspaceState(attempt_id, 'lost');
    } finally {
      this.hub.changed(attempt_id);
    }
  }

  /** Of deleted tasks: worktrees and logs go, branches too unless they hold unmerged commits. */
  private async dispose(attempt_ids: string[]): Promise<void> {
    for (const attempt of await this.attempts.listByIds(attempt_ids)) await this.remove(attempt, true);
    await this.logs.deleteOfAttempts(attempt_ids);
  }

  /** Worktrees that rest for long, unless they hold uncommitted work; the branch brings them back when needed. */
  private async expire(): Promise<void> {
    if (this.environment.WORKTREE_TTL_HOURS === 0) return;
    for (const attempt of await this.attempts.listExpired(this.runner.id, this.environment.WORKTREE_TTL_HOURS)) {
      const isDirty = await this.host.isDirty(await this.workspaces.workspace(attempt));
      if (!isDirty && (await this.retire(attempt.id))) await this.remove(attempt, false);
    }
  }

  /** From here on whoever needs the worktrees makes them again. @returns false where a run came first */
  private retire(attempt_id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.attempts.lock(localOwner, attempt_id);
      if ((await this.executions.findLive(attempt_id)) !== null) return false;
      await this.attempts.setWorkspaceState(attempt_id, 'removed');
      return true;
    });
  }

  /** Said again at the end: a reader may have brought them back just before. What fails is tried again later. */
  private async remove(attempt: Attempt, deleteBranch: boolean): Promise<void> {
    try {
      await this.host.dispose(await this.workspaces.workspace(attempt), { deleteBranch });
      await this.attempts.setWorkspaceState(attempt.id, 'removed');
    } catch (error) {
      await this.attempts.setWorkspaceState(attempt.id, 'ready');
      throw error;
    }
  }
}
