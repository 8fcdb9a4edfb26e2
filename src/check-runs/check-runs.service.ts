import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { newResult } from '../checks/check-result.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import { CheckTrace } from '../checks/check-trace.js';
import type { CheckCause } from '../checks/check.entity.js';
import { RepoChecksRepository } from '../checks/repo-checks.repository.js';
import { TurnQueue } from '../cluster/turn-queue.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/** Begins runs of checks: a job of the turn queue, in the latest session of the attempt. */
@Injectable()
export class CheckRunsService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly checkRows: RepoChecksRepository,
    private readonly runRows: CheckRunsRepository,
    private readonly queue: TurnQueue,
    private readonly events: AttemptEvents,
    private readonly trace: CheckTrace,
  ) {}

  /** Under the lock of the attempt, while nothing of it is delivered. Charged to the principal.
   *  @throws AppError no_checks, no_session_yet; session_busy, by the constraint executions_one_live */
  async begin(tx: Transaction, attempt: Attempt, cause: CheckCause, principal: Principal): Promise<TurnExecution> {
    const { id: attempt_id, task_id, project_id } = attempt;
    const definitions = await this.checkRows.listOfAttempt(attempt_id);
    if (definitions.length === 0) throw noChecks(attempt, 'its repositories have no checks');
    const session = await this.sessionRows.findLatest(attempt_id);
    if (session === null) throw new AppError('no_session_yet', { attempt_id });
    const execution = await this.executionRows.insert(tx, {
      ...{ id: newId(), attempt_id, task_id, project_id, session_id: session.id, job_id: newId() },
      ...{ run_reason: 'check', status: 'queued', repo_id: null, runner_id: null, started_by: chargedAs(principal) },
      ...{ prompt: null, is_task_text: false, variant: null, timeout_secs: null },
    });
    const { job_id } = execution;
    const run = { id: newId(), attempt_id, task_id, project_id, cause, job_id, requested_by: principal.actor.name };
    const checks = definitions.flatMap(({ repo_id, version, checks: all }) =>
      all.map((definition) => ({ repo_id, version, definition })),
    );
    const results = checks.map((check, position) => newResult({ run_id: run.id, attempt_id, position, ...check }));
    await this.runRows.insert(tx, run, results);
    await this.runRows.setState(tx, attempt_id, 'pending');
    await this.events.state(tx, execution);
    await this.trace.began(tx, run, execution.id, principal);
    const origin = await this.attemptRows.turnOrigin(attempt_id);
    await this.queue.enqueue(tx, { job_id, attempt_id, project_id, executor: session.executor, ...origin });
    return execution;
  }
}

export const noChecks = (
  { id: attempt_id, project_id }: Pick<Attempt, 'id' | 'project_id'>,
  reason: string,
): AppError => new AppError('no_checks', { attempt_id, project_id, reason });
