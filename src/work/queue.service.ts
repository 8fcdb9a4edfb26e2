import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { EditMessageInput, MessageTarget, QueueOutput } from '../sessions/queue.dto.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ActiveTurns } from '../turns/active-turns.js';
import { TurnsService } from '../turns/turns.service.js';
import { WaitingMessages } from '../turns/waiting-messages.js';

/** Changes what waits in a session, each under the lock of the attempt: the end of a turn takes a message before or
 *  after, never meanwhile. All throw session_not_found, not_a_member, forbidden. */
@Injectable()
export class QueueService {
  constructor(
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly sessions: SessionsService,
    private readonly messages: WaitingMessages,
    private readonly turns: TurnsService,
    private readonly activeTurns: ActiveTurns,
  ) {}

  /** @throws AppError message_gone, too_much_stored */
  edit({ session_id, message_id, prompt }: EditMessageInput, principal: Principal): Promise<QueueOutput> {
    return this.change(session_id, principal, (tx, session) =>
      this.messages.edit(tx, session, message_id, prompt, principal),
    );
  }

  /** @throws AppError message_gone */
  drop({ session_id, message_id }: MessageTarget, principal: Principal): Promise<QueueOutput> {
    return this.change(session_id, principal, (tx, session) => this.messages.cancel(tx, session, message_id));
  }

  dropAll(session_id: string, principal: Principal): Promise<QueueOutput> {
    return this.change(session_id, principal, (tx, session) => this.messages.cancelAll(tx, session));
  }

  /** Stops what is live, and runs the message next; the others wait on behind it. @throws AppError message_gone */
  send({ session_id, message_id }: MessageTarget, principal: Principal): Promise<QueueOutput> {
    return this.change(session_id, principal, async (tx, session, attempt) => {
      await this.messages.putFirst(tx, session, message_id);
      const live = await this.turns.giveWay(tx, attempt, principal);
      if (live) tx.afterCommit(() => this.activeTurns.stop(live.id, false));
    });
  }

  private async change(
    session_id: string,
    principal: Principal,
    work: (tx: Transaction, session: Session, attempt: Attempt) => Promise<void>,
  ): Promise<QueueOutput> {
    const session = await this.sessionRows.get(principal, session_id);
    await this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, session.attempt_id);
      requireMade(principal, attempt);
      await work(tx, session, attempt);
    });
    return this.sessions.queue(session_id, principal);
  }
}
