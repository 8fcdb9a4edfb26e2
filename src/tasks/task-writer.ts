import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { EventLog } from '../events/event-log.js';
import type { KeyClaim } from '../idempotency/idempotency.repository.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import { parentOf, requireCaller, requireChangeable } from '../platform/access/rights.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import { eventsOf, lifeEventOf } from './task-events.js';
import { changeOf, factsOf, type TaskPatch } from './task-change.js';
import type { NewTask, Task } from './task.entity.js';
import { type CreatedTask, TasksRepository } from './tasks.repository.js';

/** Creates, changes and deletes tasks, with audit and events; nothing else writes them. */
@Injectable()
export class TaskWriter {
  constructor(
    private readonly taskRows: TasksRepository,
    private readonly audit: AuditService,
    private readonly events: EventLog,
    private readonly storage: StorageLimits,
  ) {}

  /** @throws AppError invalid_argument, too_much_stored */
  async create(tx: Transaction, patch: TaskPatch & { title: string }, principal: Principal): Promise<string> {
    const created = this.make(patch, principal);
    const { project_id, title, description } = created.task;
    await this.storage.require(project_id, principal, textBytes(title, description));
    await this.taskRows.insert(tx, created);
    this.events.written(project_id);
    return created.task.id;
  }

  /** If nothing else is written: one statement. @returns false where another request holds the key, or why nothing
   *  was written */
  insertAlone(principal: Principal, created: CreatedTask, claim: KeyClaim | null): Promise<boolean | AppError> {
    return this.taskRows.insertAlone(principal, created, claim).then((result) => {
      if (result === true) this.events.written(created.task.project_id);
      return result;
    });
  }

  /** A new task, not stored yet. What a run creates is a subtask of its own task. @throws AppError invalid_argument */
  make(patch: TaskPatch & { title: string }, principal: Principal): CreatedTask {
    requireLengths(patch);
    const parent = parentOf(principal);
    const after = trimmed(parent === null ? patch : { ...patch, parent_task_id: parent });
    const blank = blankTask(after.title, principal);
    const { actor, caller } = principal;
    return { task: { ...blank, ...changeOf(blank, after) }, actor, caller, details: { after } };
  }

  /** @param task the locked row. A patch that changes nothing writes nothing. `action` names the fact if a verb says
   *  more than the fields.
   *  @throws AppError invalid_argument, forbidden, task_tied, too_much_stored */
  async change(
    tx: Transaction,
    task: Task,
    patch: TaskPatch,
    principal: Principal,
    { note, action }: { note?: string; action?: string } = {},
  ): Promise<void> {
    requireChangeable(principal, task);
    requireLengths(patch);
    const change = changeOf(task, trimmed(patch));
    await this.requireRoom(task, change, principal);
    if ('project_id' in change) await this.requireUntied(task);
    if (Object.keys(change).length)
      await this.taskRows.update(tx, task.id, {
        ...change,
        ...(hasTexts(change) ? { stored_by: chargedAs(principal) } : {}),
      });
    await this.events.record(tx, ...eventsOf(task, change));
    const facts = factsOf(task, change, note);
    await this.record(
      tx,
      task,
      principal,
      facts.map((fact) => (action && fact.action === 'status_changed' ? { ...fact, action } : fact)),
    );
  }

  async delete(tx: Transaction, task: Task, principal: Principal): Promise<void> {
    requireCaller(principal, false, 'delete tasks');
    await this.taskRows.delete(tx, task.id);
    await this.record(tx, task, principal, [
      { action: 'deleted', details: { before: { title: task.title, stage: task.stage } } },
    ]);
    await this.events.record(tx, lifeEventOf('deleted', task));
  }

  /** @param task the locked row, which was deleted */
  async restore(tx: Transaction, task: Task, principal: Principal): Promise<void> {
    requireCaller(principal, false, 'restore tasks');
    await this.taskRows.restore(tx, task.id);
    await this.record(tx, task, principal, [
      { action: 'restored', details: { after: { title: task.title, stage: task.stage } } },
    ]);
    await this.events.record(tx, lifeEventOf('restored', task));
  }

  /** Off the board, or back to it. @param task the locked row. */
  async archive(tx: Transaction, task: Task, archived: boolean, principal: Principal): Promise<void> {
    const became = archived ? 'archived' : 'unarchived';
    await this.taskRows.archive(tx, task.id, archived);
    await this.record(tx, task, principal, [{ action: became, details: { title: task.title, stage: task.stage } }]);
    await this.events.record(tx, lifeEventOf(became, task));
  }

  /** A task is in one project with the task above it, those below it, and its attempts. */
  private async requireUntied({ id }: Task): Promise<void> {
    const reason = await this.taskRows.findTie(id);
    if (reason !== null) throw new AppError('task_tied', { task_id: id, reason });
  }

  /** Texts that do not grow need no room. */
  private async requireRoom(task: Task, change: Partial<NewTask>, principal: Principal): Promise<void> {
    const after = { ...task, ...change };
    const before = after.project_id === task.project_id ? textBytes(task.title, task.description) : 0;
    const more = textBytes(after.title, after.description) - before;
    if (more > 0) await this.storage.require(after.project_id, principal, more);
  }

  private record(
    tx: Transaction,
    task: Task,
    principal: Principal,
    facts: { action: string; details: Record<string, unknown> }[],
  ): Promise<void> {
    return this.audit.record(
      tx,
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

const trimmed = <T extends TaskPatch>(patch: T): T =>
  patch.title === undefined ? patch : { ...patch, title: patch.title.trim() };

/** The storage of a text counts for its last writer. */
const hasTexts = (change: Partial<NewTask>): boolean => 'title' in change || 'description' in change;

const blankTask = (title: string, principal: Principal): NewTask => ({
  id: newId(),
  project_id: null,
  parent_task_id: null,
  title,
  description: null,
  stage: 'INIT',
  is_blocked: false,
  assignee_worker_id: null,
  assignee_text: null,
  created_by_worker_id: principal.worker,
  made_by_attempt_id: principal.attempt,
  stored_by: chargedAs(principal),
  priority: null,
  progress_percent: 0,
  tags: [],
  due_date: null,
  started_at: null,
  completed_at: null,
});

/** In characters. */
const limits = { title: 500, priority: 64, tags: 2_000 } as const;

function requireLengths(patch: TaskPatch): void {
  for (const field of ['title', 'priority'] as const) {
    if ((patch[field]?.length ?? 0) > limits[field])
      throw refusal([
        { field, message: `${field} is longer than ${limits[field]} characters; put the rest into description` },
      ]);
  }
  if ((patch.tags ?? []).join('').length > limits.tags)
    throw refusal([{ field: 'tags', message: `tags are longer than ${limits.tags} characters together` }]);
}
