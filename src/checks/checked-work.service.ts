import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { type AttemptChecks, AttemptChecksService, workNow, type WorkNow } from './attempt-checks.service.js';
import { CheckRunsRepository } from './check-runs.repository.js';
import { isChecked } from './check-states.js';

/** Whether the work is still what was checked, by a look at it. */
@Injectable()
export class CheckedWork {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: Pick<WorkspaceHost, 'standing'>,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly checks: AttemptChecksService,
    private readonly runRows: CheckRunsRepository,
  ) {}

  /** As last known where its worktrees cannot be looked at now. */
  async look(attempt: Attempt): Promise<AttemptChecks> {
    return isChecked(attempt.checks_state) ? this.checks.of(attempt, await this.now(attempt)) : this.checks.of(attempt);
  }

  /** Once something may have changed: lists and boards show what is stored. */
  async note(attempt: Attempt): Promise<void> {
    if (!isChecked(attempt.checks_state)) return;
    const { state } = await this.look(attempt);
    if (state === 'stale') await this.database.transaction((tx) => this.runRows.setState(tx, attempt.id, 'stale'));
  }

  private async now(attempt: Attempt): Promise<WorkNow[]> {
    const repos = await this.attemptRows.listRepos(attempt.id);
    const standings = await this.host.standing(await this.attempts.workspace(attempt), 'no').catch((error: unknown) => {
      if (error instanceof AppError) return [];
      throw error;
    });
    return standings.flatMap((standing) => {
      const repo_id = repos.find(({ repo_name }) => repo_name === standing.repo_name)?.repo_id;
      return repo_id === undefined ? [] : [workNow(repo_id, standing)];
    });
  }
}
