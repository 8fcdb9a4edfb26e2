import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ExecutorChoice } from '../turns/executor-choice.js';
import { TurnsService } from '../turns/turns.service.js';
import type { RetryInput, RetryOutput } from './work.dto.js';

/** Runs the last message of an attempt again, as it was sent: with its variant and its time limit. */
@Injectable()
export class RetryService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorChoice,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessions: SessionsService,
    private readonly turns: TurnsService,
  ) {}

  /** @throws AppError attempt_not_found, no_session_yet, session_busy, variant_unknown, executor_unavailable,
   *  delivery_in_progress, workspace_lost, idempotency_conflict */
  async retry({ attempt_id, request_id }: RetryInput, principal: Principal): Promise<RetryOutput> {
    const request = { operation: 'retry', principal, key: request_id, payload: { attempt_id } };
    const earlier = await this.idempotency.findResult<RetryOutput>(request);
    if (earlier) return earlier;
    const session = await this.sessions.resolve({ attempt_id }, principal);
    await this.attemptRows.requireMadeHere(attempt_id);
    await this.executors.chooseFor(session, undefined, principal);
    return this.idempotency.once({ ...request, project_id: session.project_id }, async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, attempt_id);
      requireMade(principal, attempt);
      const message = await this.executionRows.lastMessage(session.id);
      const execution = await this.turns.start(tx, attempt, session, message, principal);
      return { session_id: session.id, execution_process_id: execution.id };
    });
  }
}
