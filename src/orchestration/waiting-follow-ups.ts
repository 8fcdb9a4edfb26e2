import { Injectable } from '@nestjs/common';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { TurnLimits } from '../turns/turn-limits.js';
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
    private readonly limits: TurnLimits,
  ) {}

  keepVariant(tx: Transaction, session_id: string, variant: string | null): Promise<void> {
    return this.sessionRows.setVariant(tx, session_id, variant);
  }

  /** The message has the time limit of the turn it waits for, and is its author's. @throws AppError too_much_stored */
  async queue(
    tx: Transaction,
    { id: session_id, attempt_id, project_id }: Session,
    { timeout_secs }: TurnExecution,
    message: FollowUpMessage,
    principal: Principal,
  ): Promise<FollowUpOutput> {
    await this.limits.requireRoom(project_id, principal, message.prompt);
    const { worker, actor } = principal;
    const row = {
      session_id,
      attempt_id,
      ...message,
      queued_at: new Date(),
      queued_by_worker_id: worker,
      queued_by: actor.name,
      queued_by_type: actor.type,
      charged_to: chargedAs(principal),
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
