import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AuditService } from '../audit/audit.service.js';
import type { Delivery, NewDelivery } from './delivery.entity.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { EventType } from '../executors/log-entry.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { TasksService } from '../tasks/tasks.service.js';

type Row = NewDelivery | Delivery;

/** Writes the consequences of a delivery: event, audit and the state of its task. */
@Injectable()
export class DeliveryTrace {
  constructor(
    private readonly events: AttemptEvents,
    private readonly audit: AuditService,
    private readonly tasks: TasksService,
    private readonly executionRows: ExecutionsRepository,
    private readonly deliveryRows: DeliveriesRepository,
  ) {}

  async merged(tx: Transaction, row: Row, principal: Principal): Promise<void> {
    await this.event(tx, row, 'merged', `merged into ${row.target_branch} (${row.strategy})`);
    await this.record(tx, row, 'merged', principal);
  }

  async undone(tx: Transaction, row: Row, principal: Principal): Promise<void> {
    await this.event(tx, row, 'merge_undone', `the merge into ${row.target_branch} was undone`);
    await this.record(tx, row, 'merge_undone', principal);
    const note = `the merge of ${short(row.target_after)} into ${row.target_branch} was undone`;
    await this.tasks.deliveryUndone(tx, row.task_id, principal, note);
  }

  async pushed(tx: Transaction, row: Row, principal: Principal): Promise<void> {
    await this.event(tx, row, 'pushed', `pushed to ${row.remote}/${row.target_branch}`);
    await this.record(tx, row, 'pushed', principal);
  }

  async failed(tx: Transaction, row: Row, code: string): Promise<void> {
    const act = row.kind === 'push' ? 'not pushed as' : 'not merged into';
    await this.event(tx, row, 'delivery_failed', `${act} ${row.target_branch}: ${code}`);
  }

  /** What became of the branch of an attempt. */
  changed(
    tx: Transaction,
    { id: attempt_id, task_id, project_id }: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    action: string,
    details: Record<string, unknown>,
    principal: Principal,
  ): Promise<void> {
    const fact = { entity_type: 'task', entity_id: task_id, task_id, project_id, action } as const;
    return this.audit.record(tx, principal, { ...fact, details: { attempt_id, ...details } });
  }

  /** The task is done once all of its work is delivered and nothing runs. @param rows the deliveries; none if the work
   *  was delivered in another way */
  async allDelivered(
    tx: Transaction,
    task_id: string,
    rows: readonly Pick<Row, 'id' | 'target_after' | 'target_branch'>[],
    principal: Principal,
  ): Promise<void> {
    if ((await this.executionRows.findLiveOfTask(task_id)) !== null) return;
    const places = rows.map(({ target_after, target_branch }) => `${short(target_after)} in ${target_branch}`);
    const note = places.length > 0 ? `merged as ${places.join(', ')}` : 'the target holds all of its work';
    if (!(await this.tasks.delivered(tx, task_id, principal, note))) return;
    for (const { id } of rows) await this.deliveryRows.update(tx, id, { moved_task: true });
  }

  private event(tx: Transaction, row: Row, type: EventType, content: string): Promise<void> {
    const { repo_id, strategy, target_branch, target_before, target_after } = row;
    const metadata = { repo_id, strategy, target_branch, target_before, target_after };
    return this.events.delivery(tx, row.attempt_id, { type, content, metadata });
  }

  private record(tx: Transaction, row: Row, action: string, principal: Principal): Promise<void> {
    const { attempt_id, repo_id, strategy, source_commit, target_branch, target_before, target_after } = row;
    return this.audit.record(tx, principal, {
      entity_type: 'delivery',
      entity_id: row.id,
      task_id: row.task_id,
      project_id: row.project_id,
      action,
      details: { attempt_id, repo_id, strategy, source_commit, target_branch, target_before, target_after },
    });
  }
}

const short = (commit: string): string => commit.slice(0, 10);
