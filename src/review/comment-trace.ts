import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AuditService } from '../audit/audit.service.js';
import { EventLog } from '../events/event-log.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';

/** Writes down and announces what was done with comments, without their texts. */
@Injectable()
export class CommentTrace {
  constructor(
    private readonly audit: AuditService,
    private readonly events: EventLog,
  ) {}

  async record(
    tx: Transaction,
    { id: attempt_id, task_id, project_id }: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    action: 'added' | 'edited' | 'deleted' | 'sent',
    comment_ids: readonly string[],
    principal: Principal,
  ): Promise<void> {
    await this.audit.record(tx, principal, {
      entity_type: 'task',
      entity_id: task_id,
      task_id,
      project_id,
      action: `comment_${action}`,
      details: { attempt_id, comment_ids },
    });
    const data = { attempt_id, task_id, action, comment_ids };
    await this.events.record(tx, { project_id, type: 'taskyard.attempt.commented', subject: attempt_id, data });
  }
}
