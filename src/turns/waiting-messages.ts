import { Injectable } from '@nestjs/common';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { asActor, chargedAs, localOwner, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import type { NewMessage, QueuedMessage, Session } from '../sessions/session.entity.js';
import {
  type MessageAuthor,
  type MessageKey,
  QueuedMessagesRepository,
  type SessionQueue,
} from '../sessions/queued-messages.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { MessageEvents } from './message-events.js';
import type { Message } from './turn-executions.js';
import { TurnLimits } from './turn-limits.js';

export interface WaitingMessage {
  id: string;
  session: Session;
  message: Message;
  /** Who queued it; the turn counts as theirs. */
  principal: Principal;
  /** Why it may not run, or null. */
  refusal: string | null;
}

/** Messages that wait behind a live turn: the oldest, or one that goes first, becomes the next turn, or all are
 *  dropped. */
@Injectable()
export class WaitingMessages {
  constructor(
    private readonly queueRows: QueuedMessagesRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly executors: ExecutorCatalogue,
    private readonly events: MessageEvents,
    private readonly limits: TurnLimits,
  ) {}

  /** Appends it to the queue of its session, in the name of its author. @throws AppError too_much_stored */
  async put(
    tx: Transaction,
    session: Session,
    message: Pick<NewMessage, 'prompt' | 'variant' | 'timeout_secs'>,
    principal: Principal,
  ): Promise<SessionQueue> {
    await this.limits.requireRoom(session.project_id, principal, message.prompt);
    const place = { id: newId(), session_id: session.id, attempt_id: session.attempt_id };
    const queue = await this.queueRows.append(tx, { ...place, ...message, ...authorOf(principal) });
    await this.events.queued(tx, session);
    return queue;
  }

  /** In other words, and in the name of who changed it. @throws AppError message_gone, too_much_stored */
  async edit(tx: Transaction, session: Session, id: string, prompt: string, principal: Principal): Promise<void> {
    await this.limits.requireRoom(session.project_id, principal, prompt);
    const key = { session_id: session.id, id };
    if (!(await this.queueRows.setText(tx, key, { prompt, ...authorOf(principal) }))) throw gone(key);
    await this.events.changed(tx, session);
  }

  /** Before the others, and whatever the end of the live turn is. @throws AppError message_gone */
  async putFirst(tx: Transaction, session: Session, id: string): Promise<void> {
    const key = { session_id: session.id, id };
    if (!(await this.queueRows.putFirst(tx, key))) throw gone(key);
    await this.events.changed(tx, session);
  }

  hasFirst(tx: Transaction, attempt_id: string): Promise<boolean> {
    return this.queueRows.hasFirst(tx, attempt_id);
  }

  /** Takes the next. Its variant becomes that of the session, as with a message sent at once. */
  async take(tx: Transaction, attempt_id: string): Promise<WaitingMessage | null> {
    const row = await this.queueRows.take(tx, attempt_id);
    if (row === null) return null;
    const session = await this.sessionRows.get(localOwner, row.session_id);
    const variant = row.variant ?? session.variant;
    const { prompt, timeout_secs } = row;
    const principal = whoQueued(row);
    const refusal = await this.refusalOf(session, variant, principal);
    if (refusal === null) await this.sessionRows.setVariant(tx, session.id, variant);
    return {
      id: row.id,
      session,
      message: { prompt, is_task_text: false, variant, timeout_secs },
      principal: refusal === null ? principal : asActor('@taskyard', 'system'),
      refusal,
    };
  }

  /** One of a session. @throws AppError message_gone */
  async cancel(tx: Transaction, session: Session, id: string): Promise<void> {
    const key = { session_id: session.id, id };
    if (!(await this.queueRows.delete(tx, key))) throw gone(key);
    await this.events.cancelled(tx, session);
  }

  async cancelAll(tx: Transaction, session: Session): Promise<void> {
    for (let left = await this.queueRows.deleteAll(tx, session.id); left > 0; left -= 1)
      await this.events.cancelled(tx, session);
  }

  /** Those of all sessions. @returns how many waited */
  async drop(tx: Transaction, attempt_id: string, reason: string): Promise<number> {
    let dropped = 0;
    for (; await this.queueRows.take(tx, attempt_id); dropped += 1) await this.events.dropped(tx, attempt_id, reason);
    return dropped;
  }

  /** Meanwhile its variant may have been removed, or its author may have left the project. A missing variant is not
   *  replaced by the default, which may allow the agent more. */
  private async refusalOf(session: Session, variant: string | null, principal: Principal): Promise<string | null> {
    try {
      await this.executors.chooseVariant(session.executor, variant ?? undefined);
      await this.sessionRows.get(principal, session.id);
      return null;
    } catch (error) {
      if (error instanceof AppError && !error.row.retryable) return error.message;
      throw error;
    }
  }
}

const gone = ({ session_id, id }: MessageKey) => new AppError('message_gone', { session_id, message_id: id });

const authorOf = (principal: Principal): MessageAuthor => ({
  queued_by_worker_id: principal.worker,
  queued_by: principal.actor.name,
  queued_by_type: principal.actor.type,
  charged_to: chargedAs(principal),
});

function whoQueued({ queued_by, queued_by_type, queued_by_worker_id, charged_to }: QueuedMessage): Principal {
  return { ...asActor(queued_by, queued_by_type), worker: queued_by_worker_id, chargedTo: charged_to };
}
