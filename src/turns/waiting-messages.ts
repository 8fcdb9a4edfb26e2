import { Injectable } from '@nestjs/common';
import { AttemptEvents } from '../executions/attempt-events.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { asActor, chargedAs, localOwner, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { NewMessage, QueuedMessage, Session } from '../sessions/session.entity.js';
import { type SessionQueue, SessionsRepository } from '../sessions/sessions.repository.js';
import type { Message } from './turn-executions.js';
import { TurnLimits } from './turn-limits.js';

export interface WaitingMessage {
  session: Session;
  message: Message;
  /** Who queued it; the turn counts as theirs. */
  principal: Principal;
  /** Why it may not run, or null. */
  refusal: string | null;
}

/** Messages that wait behind a live turn: the oldest becomes the next turn, or all are dropped. */
@Injectable()
export class WaitingMessages {
  constructor(
    private readonly sessionRows: SessionsRepository,
    private readonly executors: ExecutorCatalogue,
    private readonly events: AttemptEvents,
    private readonly limits: TurnLimits,
  ) {}

  /** Appends it to the queue of its session, in the name of its author. @throws AppError too_much_stored */
  async put(
    tx: Transaction,
    { id: session_id, attempt_id, project_id }: Session,
    message: Pick<NewMessage, 'prompt' | 'variant' | 'timeout_secs'>,
    principal: Principal,
  ): Promise<SessionQueue> {
    await this.limits.requireRoom(project_id, principal, message.prompt);
    const { worker, actor } = principal;
    const queue = await this.sessionRows.putQueued(tx, {
      session_id,
      attempt_id,
      ...message,
      queued_by_worker_id: worker,
      queued_by: actor.name,
      queued_by_type: actor.type,
      charged_to: chargedAs(principal),
    });
    await this.events.messageQueued(tx, attempt_id);
    return queue;
  }

  /** Takes the oldest. Its variant becomes that of the session, as with a message sent at once. */
  async take(tx: Transaction, attempt_id: string): Promise<WaitingMessage | null> {
    const row = await this.sessionRows.takeQueued(tx, attempt_id);
    if (row === null) return null;
    const session = await this.sessionRows.get(localOwner, row.session_id);
    const variant = row.variant ?? session.variant;
    const { prompt, timeout_secs } = row;
    const principal = whoQueued(row);
    const refusal = await this.refusalOf(session, variant, principal);
    if (refusal === null) await this.sessionRows.setVariant(tx, session.id, variant);
    return {
      session,
      message: { prompt, is_task_text: false, variant, timeout_secs },
      principal: refusal === null ? principal : asActor('@taskyard', 'system'),
      refusal,
    };
  }

  /** @returns how many waited */
  async drop(tx: Transaction, attempt_id: string, reason: string): Promise<number> {
    let dropped = 0;
    for (; await this.sessionRows.takeQueued(tx, attempt_id); dropped += 1)
      await this.events.messageDropped(tx, attempt_id, reason);
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

function whoQueued({ queued_by, queued_by_type, queued_by_worker_id, charged_to }: QueuedMessage): Principal {
  return { ...asActor(queued_by, queued_by_type), worker: queued_by_worker_id, chargedTo: charged_to };
}
