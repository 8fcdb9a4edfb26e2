import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Attempt } from '../../attempts/attempt.entity.js';
import { AttemptsRepository } from '../../attempts/attempts.repository.js';
import { AttemptsService } from '../../attempts/attempts.service.js';
import { strayKey } from '../../attempts/ready-workspaces.js';
import { WorkspaceSnapshotsRepository } from '../../attempts/workspace-snapshots.repository.js';
import { CommentsRepository } from '../../comments/comments.repository.js';
import { LogRepository } from '../../executions/log.repository.js';
import { RunnersRepository } from '../../cluster/runners.repository.js';
import { Jobs } from '../../cluster/jobs.js';
import { ChangeHub } from '../../platform/database/change-hub.js';
import { Database } from '../../platform/database/database.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../../workspaces/workspace-host.js';
import { AbandonedClones } from './abandoned-clones.js';

/** Removes worktrees: with their logs and comments for deleted tasks, alone for idle attempts. */
@Injectable()
export class WorkspaceDisposal {
  private readonly logger = new Logger(WorkspaceDisposal.name);

  constructor(
    private readonly jobs: Jobs,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly commentRows: CommentsRepository,
    private readonly logRows: LogRepository,
    private readonly snapshotRows: WorkspaceSnapshotsRepository,
    private readonly runnerRows: RunnersRepository,
    private readonly clones: AbandonedClones,
    private readonly database: Database,
    private readonly hub: ChangeHub,
  ) {}

  /** For deleted tasks, unless they were restored: removes worktrees, logs, comments, and branches without unmerged
   *  commits. An attempt that fails gets a job of its own, which is retried. A clone without worktrees is removed
   *  with its project. */
  async disposeOf(attempt_ids: string[]): Promise<void> {
    for (const attempt of await this.attemptRows.listDisposable(attempt_ids)) {
      try {
        await this.remove(attempt, true);
        await this.logRows.deleteOfAttempts([attempt.id]);
        await this.commentRows.deleteOfAttempt(attempt.id);
        await this.forgetSaves(attempt);
      } catch (error) {
        if (attempt_ids.length === 1) throw error;
        this.logger.warn({ err: error, attempt_id: attempt.id }, 'the worktrees could not be removed yet');
        await this.jobs.send(null, { kind: 'dispose_workspaces', data: { attempt_ids: [attempt.id] } });
      }
    }
    await this.clones.discard();
  }

  /** Writes the state again at the end, because a reader may just have brought them back. Failures are tried again
   *  later. */
  async remove(attempt: Attempt, deleteBranch: boolean): Promise<void> {
    try {
      const isAway = await this.isOutOfReach(attempt);
      if (!isAway) await this.host.dispose(await this.attempts.workspace(attempt), { deleteBranch });
      await this.database.transaction(async (tx) => {
        await this.attemptRows.setWorkspaceState(attempt.id, 'removed');
        // its machine may only have been slow, or have ended before it was known as the home
        if (isAway || attempt.runner_id === null) await this.hub.announce(tx, strayKey(attempt.runner_id));
      });
    } catch (error) {
      await this.attemptRows.setWorkspaceState(attempt.id, 'ready');
      throw error;
    }
  }

  /** A missing remote must not prevent the removal. */
  private async forgetSaves(attempt: Attempt): Promise<void> {
    const isInRemote = (await this.snapshotRows.known(attempt.id)).some(({ remote }) => remote !== null);
    if (isInRemote)
      await this.host.forgetSaves(await this.attempts.workspace(attempt), 'all').catch((error: unknown) => {
        this.logger.warn({ err: error, attempt_id: attempt.id }, 'saved work is still in its remote');
      });
    await this.snapshotRows.deleteOfAttempt(attempt.id);
  }

  /** Whether its machine is gone, so that there is nothing to remove. */
  private async isOutOfReach({ runner_id }: Attempt): Promise<boolean> {
    return runner_id !== null && (await this.runnerRows.find(runner_id))?.is_gone !== false;
  }
}
