import { Injectable } from '@nestjs/common';
import { EventLog } from '../events/event-log.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Transaction } from '../platform/database/database.js';
import type { Session } from '../sessions/session.entity.js';

type OfSession = Pick<Session, 'attempt_id' | 'project_id'>;

/** What is told of messages that wait; without their texts, because events have other readers than messages. */
@Injectable()
export class MessageEvents {
  constructor(
    private readonly attempts: AttemptEvents,
    private readonly board: EventLog,
  ) {}

  async queued(tx: Transaction, session: OfSession): Promise<void> {
    await this.queueChanged(tx, session);
    await this.attempts.add(tx, session.attempt_id, null, {
      type: 'message_queued',
      content: 'a message is queued behind the run',
    });
  }

  /** In its words, or in its place. */
  async changed(tx: Transaction, session: OfSession): Promise<void> {
    await this.queueChanged(tx, session);
    await this.attempts.add(tx, session.attempt_id, null, {
      type: 'message_changed',
      content: 'a queued message was changed',
    });
  }

  async cancelled(tx: Transaction, session: OfSession): Promise<void> {
    await this.queueChanged(tx, session);
    await this.dropped(tx, session.attempt_id, 'cancelled');
  }

  /** With the turn, whose end the board is told of. */
  dropped(tx: Transaction, attempt_id: string, reason: string): Promise<void> {
    return this.attempts.add(tx, attempt_id, null, {
      type: 'message_dropped',
      content: `the queued message was dropped: ${reason}`,
      metadata: { reason },
    });
  }

  private queueChanged(tx: Transaction, { attempt_id, project_id }: OfSession): Promise<void> {
    return this.board.record(tx, {
      project_id,
      type: 'taskyard.attempt.queue_changed',
      subject: attempt_id,
      data: { attempt_id },
    });
  }
}
