import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { OpenRequests } from '../platform/access/caller-limits.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { AttemptChecksOutput, RunChecksInput } from '../checks/attempt-checks.dto.js';
import type { CheckCause } from '../checks/check.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { TurnsService } from '../turns/turns.service.js';
import { CheckRunsService, noChecks } from './check-runs.service.js';
import { ViewChecksService } from './view-checks.service.js';

/** Runs the checks of an attempt because somebody asks for it. */
@Injectable()
export class RequestChecksService {
  constructor(
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly open: OpenRequests,
    private readonly attemptRows: AttemptsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
    private readonly runs: CheckRunsService,
    private readonly views: ViewChecksService,
  ) {}

  /** While they run already, these are meant. With `wait_ms` it answers at their end, or when the time is over.
   *  @throws AppError attempt_not_found, forbidden, no_checks, no_session_yet, session_busy, delivery_in_progress,
   *  workspace_lost, secret_missing, network_unavailable, too_many_runs, too_much_stored, too_many_streams */
  async run({ attempt_id, wait_ms = 0 }: RunChecksInput, principal: Principal): Promise<AttemptChecksOutput> {
    const attempt = await this.attemptRows.get(principal, attempt_id);
    requireMade(principal, attempt);
    await this.attemptRows.requireMadeHere(attempt_id);
    const { checks } = await this.projectRows.get(localOwner, attempt.project_id);
    if (checks === 'off') throw noChecks(attempt, 'checks are off in its project');
    if (!(await this.isChecking(attempt_id))) await this.begin(attempt_id, 'request', principal);
    if (wait_ms > 0) await this.open.hold(principal, () => this.untilEnded(attempt_id, wait_ms));
    return this.views.view({ attempt_id }, principal);
  }

  /** Unless they run already.
   *  @throws AppError no_checks, no_session_yet, session_busy, delivery_in_progress, secret_missing,
   *  network_unavailable, too_many_runs, too_much_stored */
  async begin(attempt_id: string, cause: CheckCause, principal: Principal): Promise<void> {
    await this.turns.requireRoom(await this.attemptRows.get(principal, attempt_id), principal);
    await this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, attempt_id);
      const live = await this.executionRows.findLive(attempt_id);
      if (live?.run_reason === 'check') return;
      if (live !== null) throw new AppError('session_busy', { attempt_id });
      if (!(await this.turns.mayBegin(tx, attempt_id))) throw new AppError('delivery_in_progress', { attempt_id });
      await this.runs.begin(tx, attempt, cause, principal);
    });
  }

  private async untilEnded(attempt_id: string, wait_ms: number): Promise<void> {
    await this.hub.waitFor(attempt_id, wait_ms, async () => ((await this.isChecking(attempt_id)) ? null : true));
  }

  private async isChecking(attempt_id: string): Promise<boolean> {
    return (await this.executionRows.findLive(attempt_id))?.run_reason === 'check';
  }
}
