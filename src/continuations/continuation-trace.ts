import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { EventLog } from '../events/event-log.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { continuations } from '../platform/telemetry/metrics.js';
import type { Continuation } from './continuation.entity.js';

type Told = 'due' | 'queued' | 'sent' | 'dropped' | 'exhausted';

/** Tells what becomes of continuations: the log of the attempt, its board, the audit and the metrics. */
@Injectable()
export class ContinuationTrace {
  constructor(
    private readonly events: AttemptEvents,
    private readonly board: EventLog,
    private readonly audit: AuditService,
  ) {}

  async planned(tx: Transaction, row: Continuation, principal: Principal): Promise<void> {
    const due_at = row.due_at.toISOString();
    await this.tell(tx, row, 'due', `goes on by itself at ${due_at} (${row.cause}, round ${row.round})`, { due_at });
    await this.onBoard(tx, row, 'due', { due_at });
    await this.record(tx, row, 'continuation_planned', {}, principal);
  }

  /** Its time has come, and something is in its way. */
  waits(tx: Transaction, row: Continuation, reason: string): Promise<void> {
    return this.tell(tx, row, 'queued', `going on waits: ${reason}`, { reason });
  }

  sent(tx: Transaction, row: Continuation): Promise<void> {
    return this.tell(tx, row, 'sent', `went on by itself (${row.cause}, round ${row.round})`);
  }

  async dropped(tx: Transaction, row: Continuation, reason: string, principal: Principal): Promise<void> {
    await this.tell(tx, row, 'dropped', `does not go on by itself: ${reason}`, { reason });
    await this.record(tx, row, 'continuation_dropped', { reason }, principal);
  }

  async exhausted(tx: Transaction, row: Continuation, reason: string, principal: Principal): Promise<void> {
    await this.tell(tx, row, 'exhausted', `goes on no more by itself: ${reason}`, { reason });
    await this.onBoard(tx, row, 'exhausted', { reason });
    await this.record(tx, row, 'continuation_exhausted', { reason }, principal);
  }

  private async tell(tx: Transaction, row: Continuation, state: Told, content: string, more = {}): Promise<void> {
    tx.afterCommit(() => continuations.inc({ cause: row.cause, state }));
    await this.events.add(tx, row.attempt_id, null, {
      type: `continuation_${state}`,
      content,
      metadata: { ...aboutOf(row), ...more },
    });
  }

  private onBoard(tx: Transaction, row: Continuation, state: 'due' | 'exhausted', more: object): Promise<void> {
    const { project_id, attempt_id, task_id, session_id } = row;
    return this.board.record(tx, {
      project_id,
      type: `taskyard.continuation.${state}`,
      subject: attempt_id,
      data: { attempt_id, task_id, session_id, ...aboutOf(row), ...more },
    });
  }

  private record(tx: Transaction, row: Continuation, action: string, more: object, principal: Principal) {
    const { project_id, task_id, attempt_id } = row;
    const details = { attempt_id, ...aboutOf(row), ...more };
    return this.audit.record(tx, principal, {
      entity_type: 'task',
      entity_id: task_id,
      task_id,
      project_id,
      action,
      details,
    });
  }
}

const aboutOf = ({ id, cause, round }: Continuation) => ({ continuation_id: id, cause, round });
