import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AuditService } from '../audit/audit.service.js';
import type { AgentReview, Verdict } from '../comments/agent-review.entity.js';
import { EventLog } from '../events/event-log.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { reviews } from '../platform/telemetry/metrics.js';

type Told = Pick<AgentReview, 'id' | 'session_id' | 'executor' | 'comment_ids'>;

/** Tells what becomes of reviews by agents: the log of the attempt, its board, the audit and the metrics. */
@Injectable()
export class SecondReviewTrace {
  constructor(
    private readonly events: AttemptEvents,
    private readonly board: EventLog,
    private readonly audit: AuditService,
  ) {}

  /** Without what it says, because events have other readers than comments. */
  async submitted(
    tx: Transaction,
    attempt: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    { id: review_id, session_id, executor, verdict, comment_ids }: Told & { verdict: Verdict },
    principal: Principal,
  ): Promise<void> {
    const { id: attempt_id, task_id, project_id } = attempt;
    const about = { review_id, executor, verdict, findings: comment_ids.length };
    tx.afterCommit(() => reviews.inc({ executor, outcome: verdict }));
    await this.events.add(tx, attempt_id, null, {
      type: 'review_submitted',
      content: `a second agent reviewed: ${verdict}`,
      metadata: about,
    });
    await this.board.record(tx, {
      project_id,
      type: 'taskyard.review.submitted',
      subject: attempt_id,
      data: { attempt_id, task_id, session_id, ...about },
    });
    await this.record(tx, attempt, 'review_submitted', about, principal);
  }

  /** It ended without a verdict, or could not begin. */
  async errored(
    tx: Transaction,
    attempt: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    { id: review_id, executor }: Pick<AgentReview, 'id' | 'executor'>,
    reason: string,
  ): Promise<void> {
    const about = { review_id, executor, reason };
    tx.afterCommit(() => reviews.inc({ executor, outcome: 'errored' }));
    await this.events.add(tx, attempt.id, null, {
      type: 'review_errored',
      content: `a second agent gave no verdict: ${reason}`,
      metadata: about,
    });
    await this.record(tx, attempt, 'review_errored', about, asActor(`@${executor.toLowerCase()}`, 'agent'));
  }

  private record(
    tx: Transaction,
    { id: attempt_id, task_id, project_id }: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    action: string,
    details: object,
    principal: Principal,
  ): Promise<void> {
    return this.audit.record(tx, principal, {
      entity_type: 'task',
      entity_id: task_id,
      task_id,
      project_id,
      action,
      details: { attempt_id, ...details },
    });
  }
}
