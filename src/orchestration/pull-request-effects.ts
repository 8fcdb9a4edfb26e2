import { Injectable } from '@nestjs/common';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { PullRequestRow } from '../deliveries/pull-request.entity.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import { TasksService } from '../tasks/tasks.service.js';
import { PullRequestTrace } from './pull-request-trace.js';

/** What others see of the end of a pull request. */
@Injectable()
export class PullRequestEffects {
  constructor(
    private readonly tasks: TasksService,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly trace: PullRequestTrace,
  ) {}

  shows(tx: Transaction, attempt_id: string, state: DeliveryState, url: string): Promise<void> {
    return this.trace.shows(tx, attempt_id, state, url);
  }

  merged(tx: Transaction, row: PullRequestRow, principal: Principal): Promise<void> {
    return this.trace.note(tx, row, 'pull_request_merged', mergedWords(row), principal);
  }

  closed(tx: Transaction, row: PullRequestRow, principal: Principal): Promise<void> {
    const words = `pull request #${row.pr_number} was closed without a merge`;
    return this.trace.note(tx, row, 'pull_request_closed', words, principal);
  }

  /** Of a closed one, the work came in by another way. */
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
}

const mergedWords = ({ pr_number, merged_by }: PullRequestRow): string =>
  `pull request #${pr_number} was merged${merged_by === null ? '' : ` by ${merged_by}`}`;
