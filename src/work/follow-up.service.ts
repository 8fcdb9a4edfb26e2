import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SentComments } from '../review/sent-comments.service.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { SessionsService, toQueueFields } from '../sessions/sessions.service.js';
import { ExecutorChoice } from '../turns/executor-choice.js';
import type { FollowUpAction, FollowUpInput, FollowUpOutput } from './work.dto.js';
import { TurnsService } from '../turns/turns.service.js';
import { WaitingMessages } from '../turns/waiting-messages.js';
import { type Composed, FollowUpPrompt } from './follow-up-prompt.js';

/** A variant that is given, or null for the one of the session. */
type FollowUpMessage = Composed & { variant: string | null };

const NOTHING_WAITS = { message: null, length: 0 };

/** Sends, queues or cancels a message for a session. */
@Injectable()
export class FollowUpService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorChoice,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessions: SessionsService,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
    private readonly sessionRows: SessionsRepository,
    private readonly messages: WaitingMessages,
    private readonly prompts: FollowUpPrompt,
    private readonly comments: SentComments,
  ) {}

  /** @throws AppError attempt_not_found, session_not_found, no_session_yet, session_reviews, session_busy,
   *  variant_unknown, executor_unavailable, executor_takes_scripts, delivery_in_progress, no_operation,
   *  comment_not_found, comment_sent, comment_changed, forbidden, workspace_lost, idempotency_conflict */
  async followUp({ request_id, ...input }: FollowUpInput, principal: Principal): Promise<FollowUpOutput> {
    const request = { operation: 'follow_up', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<FollowUpOutput>(request);
    if (earlier) return earlier;
    const target = await this.sessions.resolveAuthor(input, principal);
    await this.attemptRows.requireMadeHere(target.attempt_id);
    const chosen = input.action === 'cancel' ? null : await this.executors.chooseFor(target, input.variant, principal);
    if (input.resolve || input.comment_ids) await this.executors.requireWords(target.executor);
    const composed = await this.prompts.make(target.attempt_id, input, principal);
    return this.idempotency.once({ ...request, project_id: target.project_id }, async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, target.attempt_id);
      requireMade(principal, attempt);
      const session = await this.sessions.resolveAuthor(input, principal);
      if (input.action === 'cancel') return this.cancel(tx, session);
      if (session.id !== target.id) throw new AppError('session_busy', { attempt_id: attempt.id }); // begun meanwhile
      const message = { ...composed, variant: input.variant === undefined ? null : chosen!.variant };
      const live = await this.executionRows.findLive(attempt.id);
      if (live !== null && input.action === 'send') throw new AppError('session_busy', { attempt_id: attempt.id });
      const mayWait = live !== null || (input.action === 'queue' && !(await this.turns.mayBegin(tx, attempt.id)));
      if (input.resolve) await this.attemptRows.setResolving(tx, attempt.id, true);
      if (mayWait) return this.queue(tx, attempt, session, live, message, principal);
      return this.begin(tx, attempt, session, input.action, message, principal);
    });
  }

  /** In an idle session even a queued message runs at once. A given variant becomes that of the session. */
  private async begin(
    tx: Transaction,
    attempt: Attempt,
    session: Session,
    action: FollowUpAction,
    { prompt, review, variant: chosen }: FollowUpMessage,
    principal: Principal,
  ): Promise<FollowUpOutput> {
    const variant = chosen ?? session.variant;
    await this.sessionRows.setVariant(tx, session.id, variant);
    const message = { prompt, is_task_text: false, variant, timeout_secs: null };
    const execution = await this.turns.start(tx, attempt, session, message, principal);
    const { id: execution_process_id, job_id: turn_job_id } = execution;
    await this.comments.send(tx, attempt, review, { turn_job_id, queued_as: null }, principal);
    return { action, execution_process_id, ...toQueueFields(session.id, NOTHING_WAITS) };
  }

  /** Runs after the turn or delivery it waits for, with the time limit of that turn, in the name of its author.
   *  @throws AppError too_much_stored */
  private async queue(
    tx: Transaction,
    attempt: Attempt,
    session: Session,
    live: TurnExecution | null,
    { review, ...message }: FollowUpMessage,
    principal: Principal,
  ): Promise<FollowUpOutput> {
    const timeout_secs = live === null || live.run_reason === 'check' ? null : live.timeout_secs;
    const queue = await this.messages.put(tx, session, { ...message, timeout_secs }, principal);
    const sending = { turn_job_id: null, queued_as: queue.message!.id };
    await this.comments.send(tx, attempt, review, sending, principal);
    return { action: 'queue', execution_process_id: null, ...toQueueFields(session.id, queue) };
  }

  private async cancel(tx: Transaction, session: Session): Promise<FollowUpOutput> {
    await this.messages.cancelAll(tx, session);
    return { action: 'cancel', execution_process_id: null, ...toQueueFields(session.id, NOTHING_WAITS) };
  }
}
