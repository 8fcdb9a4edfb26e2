import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/run-rights.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type ChosenExecutor, ExecutorChoice } from './executor-choice.js';
import type { FollowUpAction, FollowUpInput, FollowUpOutput } from './follow-up.dto.js';
import { TurnsService } from '../turns/turns.service.js';
import { FollowUpPrompt } from './follow-up-prompt.js';
import { type FollowUpMessage, WaitingFollowUps } from './waiting-follow-ups.js';

/** No other one is taken in its place: it may allow the agent more. */
const VARIANT_GONE =
  'The session was begun with a variant that is no longer configured. Pass variant with one of: {known}; ' +
  'or work on with a new attempt: {op:start_task_attempt}.';

/** Goes on with a session: a message now, a message for later, or none any more. */
@Injectable()
export class FollowUpService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorChoice,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessions: SessionsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
    private readonly waiting: WaitingFollowUps,
    private readonly prompts: FollowUpPrompt,
  ) {}

  /** @throws AppError attempt_not_found, session_not_found, no_session_yet, session_busy, variant_unknown,
   *  executor_unavailable, no_operation, comment_not_found, forbidden, workspace_lost, idempotency_conflict */
  async followUp({ request_id, ...input }: FollowUpInput, principal: Principal): Promise<FollowUpOutput> {
    const request = { operation: 'follow_up', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<FollowUpOutput>(request);
    if (earlier) return earlier;
    const target = await this.sessions.resolve(input, principal);
    const chosen = input.action === 'cancel' ? null : await this.chooseFor(target, input.variant, principal);
    const prompt = await this.prompts.make(target.attempt_id, input, principal);
    return this.idempotency.once({ ...request, project_id: target.project_id }, async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, target.attempt_id);
      requireMade(principal, attempt);
      const session = await this.sessions.resolve(input, principal);
      if (input.action === 'cancel') return this.waiting.cancel(tx, session);
      if (session.id !== target.id) throw new AppError('session_busy', { attempt_id: attempt.id }); // begun meanwhile
      const message = { prompt, variant: input.variant === undefined ? null : chosen!.variant };
      const live = await this.executionRows.findLive(attempt.id);
      if (live === null) return this.begin(tx, attempt, session, input.action, message, principal);
      if (input.action === 'send') throw new AppError('session_busy', { attempt_id: attempt.id });
      return this.waiting.queue(tx, session, live, message, principal);
    });
  }

  private chooseFor(session: Session, given: string | undefined, principal: Principal): Promise<ChosenExecutor> {
    const { executor, variant } = session;
    const hint = given === undefined ? VARIANT_GONE : undefined;
    return this.executors.choose({ executor, variant: given ?? variant ?? undefined }, principal, hint);
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
    await this.waiting.keepVariant(tx, session.id, variant);
    const message = { prompt, is_task_text: false, variant, timeout_secs: null };
    const execution = await this.turns.start(tx, attempt, session, message, principal);
    const { id: execution_process_id } = execution;
    return { session_id: session.id, action, execution_process_id, status: 'empty', queued_message: null };
  }
}
