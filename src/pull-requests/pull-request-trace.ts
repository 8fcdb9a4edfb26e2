import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { NewPullRequestRow, PullRequestRow } from '../deliveries/pull-request.entity.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { EventType } from '../executors/log-entry.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import { TasksService } from '../tasks/tasks.service.js';

/** Writes the consequences of a pull request: event, audit, and what attempt and task show. */
@Injectable()
export class PullRequestTrace {
  constructor(
    private readonly events: AttemptEvents,
    private readonly audit: AuditService,
    private readonly attemptRows: AttemptsRepository,
    private readonly tasks: TasksService,
    private readonly deliveryRows: DeliveriesRepository,
  ) {}

  /** Moves its task to review. */
  async opened(tx: Transaction, row: NewPullRequestRow, principal: Principal): Promise<void> {
    await this.note(tx, row, 'pull_request_opened', `pull request #${row.pr_number} was opened: ${row.url}`, principal);
    await this.tasks.shownToReviewers(tx, row.task_id, principal, `pull request #${row.pr_number} was opened`);
  }

  merged(tx: Transaction, row: PullRequestRow, principal: Principal): Promise<void> {
    return this.note(tx, row, 'pull_request_merged', mergedWords(row), principal);
  }

  closed(tx: Transaction, row: PullRequestRow, principal: Principal): Promise<void> {
    const words = `pull request #${row.pr_number} was closed without a merge`;
    return this.note(tx, row, 'pull_request_closed', words, principal);
  }

  /** If it was closed, the work was delivered in another way. */
  async taskDone(
    tx: Transaction,
    row: PullRequestRow,
    delivery_id: string | null,
    principal: Principal,
  ): Promise<void> {
    const note = delivery_id === null ? 'the target holds all of its work' : mergedWords(row);
    const moved = await this.tasks.delivered(tx, row.task_id, principal, note);
    if (moved && delivery_id !== null) await this.deliveryRows.update(tx, delivery_id, { moved_task: true });
  }

  /** @param what happened, in words; null if only details changed, which the audit does not record */
  async note(
    tx: Transaction,
    row: NewPullRequestRow,
    type: Extract<EventType, `pull_request_${string}`>,
    content: string,
    principal: Principal | null,
  ): Promise<void> {
    const { attempt_id, repo_id, url, state, head_commit, checks, review, mergeability } = row;
    const metadata = { repo_id, url, state, head_commit, checks, review, mergeability };
    await this.events.delivery(tx, attempt_id, { type, content, metadata });
    if (principal === null) return;
    await this.audit.record(tx, principal, {
      entity_type: 'delivery',
      entity_id: row.id,
      task_id: row.task_id,
      project_id: row.project_id,
      action: type,
      details: { attempt_id, repo_id, url, pr_number: row.pr_number, state, head_commit },
    });
  }

  /** Updates what lists and status show. */
  shows(tx: Transaction, attempt_id: string, state: DeliveryState, pr_url: string): Promise<void> {
    return this.attemptRows.setPullRequest(tx, attempt_id, state, pr_url);
  }
}

const mergedWords = ({ pr_number, merged_by }: PullRequestRow): string =>
  `pull request #${pr_number} was merged${merged_by === null ? '' : ` by ${merged_by}`}`;
