import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { SessionsService, toQueueOutput } from '../sessions/sessions.service.js';
import type { FollowUpInput, FollowUpOutput } from './follow-up.dto.js';
import { TurnsService } from './turns.service.js';

/** No other one is taken in its place: it may allow the agent more. */
const VARIANT_GONE =
  'The session was begun with a variant that is no longer configured. Pass variant with one of: {known}; or work on with a new attempt: {op:start_task_attempt}.';

/** Goes on with a session: a message now, a message for later, or none any more. */
@Injectable()
export class FollowUpService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorCatalogue,
    private readonly attempts: AttemptsRepository,
    private readonly sessions: SessionsRepository,
    private readonly sessionTargets: SessionsService,
    private readonly executions: ExecutionsRepository,
    private readonly turns: TurnsService,
    private readonly events: AttemptEvents,
  ) {}

  /** @throws AppError attempt_not_found, session_not_found, no_session_yet, session_busy, variant_unknown, executor_unavailable, idempotency_conflict */
  async followUp({ request_id, ...input }: FollowUpInput, principal: Principal): Promise<FollowUpOutput> {
    const request = { operation: 'follow_up', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<FollowUpOutput>(request);
    if (earlier) return earlier;
    const target = await this.sessionTargets.resolve(input, principal);
    if (input.action !== 'cancel')
      await this.executors.choose(
        target.executor,
        input.variant ?? target.variant ?? undefined,
        input.variant === undefined ? VARIANT_GONE : undefined,
      );
    return this.idempotency.once({ ...request, project_id: target.project_id }, async (tx) => {
      const attempt = await this.attempts.lock(principal, target.attempt_id);
      const session = await this.sessionTargets.resolve(input, principal);
      switch (input.action) {
        case 'send':
          return this.send(tx, attempt, session, input, principal);
        case 'queue':
          return this.queue(tx, attempt, session, input, principal);
        case 'cancel':
          return this.cancel(session);
      }
    });
  }

  private async send(
    tx: Transaction,
    attempt: Attempt,
    session: Session,
    input: FollowUpInput,
    principal: Principal,
  ): Promise<FollowUpOutput> {
    if (await this.executions.findLive(attempt.id)) throw new AppError('session_busy', { attempt_id: attempt.id });
    const execution = await this.begin(tx, attempt, session, input, principal);
    return {
      session_id: session.id,
      action: input.action,
      execution_process_id: execution.id,
      status: 'empty',
      queued_message: null,
    };
  }

  /** An idle session has nothing to wait for: the message runs at once. */
  private async queue(
    tx: Transaction,
    attempt: Attempt,
    session: Session,
    input: FollowUpInput,
    principal: Principal,
  ): Promise<FollowUpOutput> {
    if (!(await this.executions.findLive(attempt.id))) return this.send(tx, attempt, session, input, principal);
    const variant = input.variant === undefined ? null : this.executors.chooseVariant(session.executor, input.variant);
    const message = {
      session_id: session.id,
      attempt_id: attempt.id,
      prompt: input.prompt!,
      variant,
      queued_at: new Date(),
    };
    await this.sessions.putQueued(message);
    await this.events.messageQueued(attempt.id);
    return { action: input.action, execution_process_id: null, ...toQueueOutput(session.id, message) };
  }

  private async cancel(session: Session): Promise<FollowUpOutput> {
    if (await this.sessions.deleteQueued(session.id)) await this.events.messageDropped(session.attempt_id, 'cancelled');
    return { action: 'cancel', execution_process_id: null, ...toQueueOutput(session.id, null) };
  }

  /** A variant that is given stays with the session. */
  private async begin(tx: Transaction, attempt: Attempt, session: Session, input: FollowUpInput, principal: Principal) {
    const variant =
      input.variant === undefined ? session.variant : this.executors.chooseVariant(session.executor, input.variant);
    await this.sessions.setVariant(session.id, variant);
    return this.turns.begin(
      tx,
      attempt,
      session,
      { prompt: input.prompt!, is_task_text: false, variant, timeout_secs: null },
      principal,
    );
  }
}
