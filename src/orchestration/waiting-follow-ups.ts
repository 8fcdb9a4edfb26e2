import { Injectable } from '@nestjs/common';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { toQueueOutput } from '../sessions/sessions.service.js';
import type { FollowUpOutput } from './follow-up.dto.js';

/** A variant that is given, or null for the one of the session. */
export type FollowUpMessage = { prompt: string; variant: string | null };

/** What a session keeps for its next turn: the message that waits, and the variant. */
@Injectable()
export class WaitingFollowUps {
  constructor(
    private readonly sessionRows: SessionsRepository,
    private readonly events: AttemptEvents,
  ) {}

  keepVariant(tx: Transaction, session_id: string, variant: string | null): Promise<void> {
    return this.sessionRows.setVariant(tx, session_id, variant);
  }

  /** The message has the time limit of the turn it waits for, and is its author's. */
  async queue(
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

  async cancel(tx: Transaction, session: Session): Promise<FollowUpOutput> {
    if (await this.sessionRows.deleteQueued(tx, session.id))
      await this.events.messageDropped(tx, session.attempt_id, 'cancelled');
    return { action: 'cancel', execution_process_id: null, ...toQueueOutput(session.id, null) };
  }
}
