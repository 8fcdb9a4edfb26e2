import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { parentOf, requireCaller } from '../platform/access/rights.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import type { Task } from './task.entity.js';
import { TasksRepository } from './tasks.repository.js';

/** Which task is below which: always in one project, and never in a circle. */
@Injectable()
export class TaskTree {
  constructor(
    private readonly database: Database,
    private readonly taskRows: TasksRepository,
  ) {}

  /** Locks the parent of a task to be, which can have no circle yet. @throws AppError task_not_found, not_a_member,
   *  invalid_argument, forbidden */
  async requireParent(tx: Transaction, id: string, project_id: string, principal: Principal): Promise<void> {
    if (parentOf(principal) !== id) requireFree(principal);
    const parent = await this.taskRows.lock(tx, principal, id);
    if (parent.project_id !== project_id) throw misplaced('is a task of another project');
  }

  /** Locks a task and what is to be above it. Only one task at a time is moved, so that two moves make no circle
   *  together. @returns the task. @throws AppError task_not_found, not_a_member, invalid_argument, forbidden */
  async lockForMove(tx: Transaction, id: string, parent_id: string, principal: Principal): Promise<Task> {
    requireFree(principal);
    await this.database.query("SELECT pg_advisory_xact_lock(hashtextextended('task trees', 0))");
    const locked = new Map<string, Task>();
    for (const one of [...new Set([id, parent_id])].sort())
      locked.set(one, await this.taskRows.lock(tx, principal, one));
    const [task, parent] = [locked.get(id)!, locked.get(parent_id)!];
    if (parent.project_id === null || parent.project_id !== task.project_id)
      throw misplaced('is a task of another project');
    if (await this.isBelow(parent_id, id)) throw misplaced('is the task itself or below it');
    return task;
  }

  /** Locks a task, deleted or not, that is to be restored, and what it is below; a deleted task is moved by nobody.
   *  @throws AppError task_not_found, not_a_member, restore_too_late, parent_deleted */
  async lockWithParent(tx: Transaction, id: string, principal: Principal): Promise<Task> {
    const { parent_task_id: parent } = await this.taskRows.getKnown(principal, id);
    let task: Task | null = null;
    for (const one of [id, ...(parent === null ? [] : [parent])].sort())
      if (one === id) task = await this.taskRows.lockKept(tx, principal, id);
      else await this.lockParent(tx, one, id, principal);
    return task!;
  }

  private async lockParent(tx: Transaction, id: string, task_id: string, principal: Principal): Promise<void> {
    try {
      await this.taskRows.lock(tx, principal, id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'task_not_found') throw error;
      throw new AppError('parent_deleted', { task_id, parent_task_id: id });
    }
  }

  private async isBelow(id: string, above: string): Promise<boolean> {
    const [row] = await this.database.query<{ is_below: boolean }>(IS_BELOW, [id, above]);
    return row!.is_below;
  }
}

const IS_BELOW = `
  WITH RECURSIVE line AS (
    SELECT id, parent_task_id FROM tasks WHERE id = $1
    UNION
    SELECT t.id, t.parent_task_id FROM tasks t JOIN line l ON t.id = l.parent_task_id
  )
  SELECT EXISTS (SELECT FROM line WHERE id = $2) AS is_below`;

/** What a run has to do with stays below its own task. @throws AppError forbidden */
function requireFree(principal: Principal): void {
  if (parentOf(principal) !== null) requireCaller(principal, false, 'choose what a task is below');
}

const misplaced = (reason: string): AppError =>
  refusal([{ field: 'parent_task_id', message: `parent_task_id ${reason}` }]);
