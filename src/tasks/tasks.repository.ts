import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { projectScope } from '../platform/access/project-scope.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { ATTEMPT_SUMMARY_COLUMNS, ATTEMPT_SUMMARY_JOINS } from './task-summary.sql.js';
import type { AttemptSummaryFields } from './task.dto.js';
import { Task } from './task.entity.js';
import type { TaskStatus } from './task-stage.js';

export type TaskWithAttempts = Task & AttemptSummaryFields;

@Injectable()
export class TasksRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. One statement, whatever the number of tasks. */
  async list(principal: Principal, filter: { project_id: string; status?: TaskStatus; cursor?: number }, limit: number): Promise<Page<TaskWithAttempts>> {
    const rows = await this.database.query<TaskWithAttempts>(
      `SELECT ${LIST_COLUMNS}, ${ATTEMPT_SUMMARY_COLUMNS} FROM (
         SELECT * FROM live_tasks
         WHERE project_id = $1 AND ($2::uuid[] IS NULL OR project_id = ANY($2)) ${filter.status ? 'AND status = $5' : ''} AND ($3::bigint IS NULL OR number < $3)
         ORDER BY number DESC LIMIT $4
       ) t ${ATTEMPT_SUMMARY_JOINS} ORDER BY t.number DESC`,
      [filter.project_id, projectScope(principal), filter.cursor ?? null, limit + 1, ...(filter.status ? [filter.status] : [])]);
    return toPage(rows, limit);
  }

  /** @throws AppError task_not_found */
  async getWithAttempts(principal: Principal, id: string): Promise<TaskWithAttempts> {
    const [task] = await this.database.query<TaskWithAttempts>(
      `SELECT t.*, ${ATTEMPT_SUMMARY_COLUMNS} FROM live_tasks t ${ATTEMPT_SUMMARY_JOINS}
       WHERE t.id = $1 AND ($2::uuid[] IS NULL OR t.project_id = ANY($2))`, [id, projectScope(principal)]);
    if (!task) throw new AppError('task_not_found', { task_id: id });
    return task;
  }

  /** The row, locked until the end of the transaction. @throws AppError task_not_found */
  async lock(principal: Principal, id: string): Promise<Task> {
    const [task] = await this.database.query<Task>(
      'SELECT * FROM tasks WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid[] IS NULL OR project_id = ANY($2)) FOR UPDATE', [id, projectScope(principal)]);
    if (!task) throw new AppError('task_not_found', { task_id: id });
    return task;
  }

  async insert(task: Omit<Task, 'number' | 'status'>): Promise<void> {
    await this.database.manager.insert(Task, task);
  }

  async update(id: string, change: Partial<Task>): Promise<void> {
    await this.database.manager.update(Task, { id }, { ...change, updated_at: new Date() });
  }

  /** Tasks of a project that are not deleted. */
  async listIds(project_id: string): Promise<string[]> {
    return (await this.database.query<{ id: string }>('SELECT id FROM live_tasks WHERE project_id = $1', [project_id])).map((row) => row.id);
  }
}

const LIST_COLUMNS = 't.id, t.number, t.project_id, t.title, t.status, t.is_blocked, t.created_at, t.updated_at';
