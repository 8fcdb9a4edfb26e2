import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { changeOf, factsOf, type TaskWish } from './task-change.js';
import type { Task } from './task.entity.js';
import { TasksRepository } from './tasks.repository.js';

/** The one setter: every task is made, changed and deleted here, with its audit, in the open transaction. */
@Injectable()
export class TaskWriter {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
  ) {}

  async create(wish: TaskWish & { title: string }, principal: Principal): Promise<string> {
    requireLengths(wish);
    const now = new Date();
    const blank: Omit<Task, 'number' | 'status' | 'taskflow_status'> = {
      id: newId(),
      project_id: null,
      parent_task_id: null,
      title: '',
      description: null,
      stage: 'INIT',
      is_blocked: false,
      assignee_worker_id: null,
      assignee_text: null,
      created_by_worker_id: principal.worker,
      priority: null,
      progress_percent: 0,
      tags: [],
      due_date: null,
      started_at: null,
      completed_at: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
    const task = { ...blank, ...changeOf(blank as Task, trimmed(wish), now) };
    await this.tasks.insert(task);
    await this.record(task as Task, principal, [{ action: 'created', details: { after: trimmed(wish) } }]);
    return task.id;
  }

  /** @param task the locked row. A wish that changes nothing writes nothing. `action` names the fact where a verb says more than its fields.
   *  @throws AppError invalid_argument, task_tied */
  async change(
    task: Task,
    wish: TaskWish,
    principal: Principal,
    { note, action }: { note?: string; action?: string } = {},
  ): Promise<void> {
    requireLengths(wish);
    const change = changeOf(task, trimmed(wish), new Date());
    if ('project_id' in change) await this.requireUntied(task);
    if (Object.keys(change).length) await this.tasks.update(task.id, change);
    const facts = factsOf(task, change, note);
    await this.record(
      task,
      principal,
      facts.map((fact) => (action && fact.action === 'status_changed' ? { ...fact, action } : fact)),
    );
  }

  /** Softly: the row stays for the audit and the records that hang on it. */
  async delete(task: Task, principal: Principal): Promise<void> {
    await this.tasks.update(task.id, { deleted_at: new Date() });
    await this.record(task, principal, [
      { action: 'deleted', details: { before: { title: task.title, stage: task.stage } } },
    ]);
  }

  /** A task is in one project with the task above it, those below it, and its attempts. */
  private async requireUntied({ id }: Task): Promise<void> {
    const reason = await this.tasks.findTie(id);
    if (reason !== null) throw new AppError('task_tied', { task_id: id, reason });
  }

  private record(
    task: Task,
    principal: Principal,
    facts: { action: string; details: Record<string, unknown> }[],
  ): Promise<void> {
    return this.audit.record(
      principal,
      ...facts.map((fact) => ({
        entity_type: 'task' as const,
        entity_id: task.id,
        task_id: task.id,
        project_id: task.project_id,
        ...fact,
      })),
    );
  }
}

const trimmed = <T extends TaskWish>(wish: T): T =>
  wish.title === undefined ? wish : { ...wish, title: wish.title.trim() };

/** In characters. */
const limits = { title: 500, priority: 64 } as const;

function requireLengths(wish: TaskWish): void {
  for (const field of ['title', 'priority'] as const) {
    if ((wish[field]?.length ?? 0) > limits[field])
      throw refusal([
        { field, message: `${field} is longer than ${limits[field]} characters; put the rest into description` },
      ]);
  }
}
