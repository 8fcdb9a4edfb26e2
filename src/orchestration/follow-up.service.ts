import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { SessionsService, toQueueOutput } from '../sessions/sessions.service.js';
import type { FollowUpAction, FollowUpInput, FollowUpOutput } from './follow-up.dto.js';
import { TurnsService } from '../turns/turns.service.js';

/** No other one is taken in its place: it may allow the agent more. */
const VARIANT_GONE =
  'The session was begun with a variant that is no longer configured. Pass variant with one of: {known}; ' +
  'or work on with a new attempt: {op:start_task_attempt}.';

/** A variant that is given, or null for the one of the session. */
type FollowUpMessage = { prompt: string; variant: string | null };

/** Goes on with a session: a message now, a message for later, or none any more. */
@Injectable()
export class FollowUpService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorCatalogue,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly sessions: SessionsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
    private readonly events: AttemptEvents,
  ) {}

  /** @throws AppError attempt_not_found, session_not_found, no_session_yet, session_busy, variant_unknown,
   *  executor_unavailable, idempotency_conflict */
  async followUp({ request_id, ...input }: FollowUpInput, principal: Principal): Promise<FollowUpOutput> {
    const request = { operation: 'follow_up', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<FollowUpOutput>(request);
    if (earlier) return earlier;
    const target = await this.sessions.resolve(input, principal);
    if (input.action !== 'cancel')
      await this.executors.choose(
        target.executor,
        input.variant ?? target.variant ?? undefined,
        input.variant === undefined ? VARIANT_GONE : undefined,
      );
    return this.idempotency.once({ ...request, project_id: target.project_id }, async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, target.attempt_id);
      const session = await this.sessions.resolve(input, principal);
      if (input.action === 'cancel') return this.cancel(tx, session);
      const { prompt = '', variant } = input;
      const chosen = variant === undefined ? null : this.executors.chooseVariant(session.executor, variant);
      const message = { prompt, variant: chosen };
      const live = await this.executionRows.findLive(attempt.id);
      if (live === null) return this.begin(tx, attempt, session, input.action, message, principal);
      if (input.action === 'send') throw new AppError('session_busy', { attempt_id: attempt.id });
      return this.queue(tx, session, live, message, principal);
    });
  }

  /** An idle session has nothing to wait for: also what is to be queued runs at once. A variant that is given stays
   *  with the session. */
  private async begin(
    tx: Transaction,
    attempt: Attempt,
    session: Session,
    action: FollowUpAction,
    { prompt, variant: chosen }: FollowUpMessage,
    principal: Principal,
  ): Promise<FollowUpOutput> {
    const variant = chosen ?? session.variant;
    await this.sessionRows.setVariant(tx, session.id, variant);
    const message = { prompt, is_task_text: false, variant, timeout_secs: null };
    const execution = await this.turns.begin(tx, attempt, session, message, principal);
    const { id: execution_process_id } = execution;
    return { session_id: session.id, action, execution_process_id, status: 'empty', queued_message: null };
  }

  /** The message has the time limit of the turn it waits for, and is its author's. */
  private async queue(
    tx: Transaction,
    { id: session_id, attempt_id }: Session,
    { timeout_secs }: TurnExecution,
    message: FollowUpMessage,
    { worker, actor }: Principal,
  ): Promise<FollowUpOutput> {
    const row = {
      session_id,
      attempt_id,
      ...message,
      queued_at: new Date(),
      queued_by_worker_id: worker,
      queued_by: actor.name,
      queued_by_type: actor.type,
      timeout_secs,
    };
    await this.sessionRows.putQueued(tx, row);
    await this.events.messageQueued(tx, attempt_id);
    return { action: 'queue', execution_process_id: null, ...toQueueOutput(session_id, row) };
  }

  private async cancel(tx: Transaction, session: Session): Promise<FollowUpOutput> {
    if (await this.sessionRows.deleteQueued(tx, session.id))
      await this.events.messageDropped(tx, session.attempt_id, 'cancelled');
    return { action: 'cancel', execution_process_id: null, ...toQueueOutput(session.id, null) };
  }
}
