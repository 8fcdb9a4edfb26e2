import { projectScope } from '../../platform/access/rights.js';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/access/principal.js';
import { Database } from '../../platform/database/database.js';
import { Task } from '../../tasks/task.entity.js';
import type { TaskflowStatus } from '../../tasks/taskflow-status.js';

const COLUMNS = [
  'id',
  'number',
  'title',
  'taskflow_status',
  'priority',
  'progress_percent',
  'tags',
  'due_date',
] as const satisfies (keyof Task)[];
export type WorkflowTask = Pick<Task, (typeof COLUMNS)[number]> & { assignee_handle: string | null };

/** Tasks with their assignee, in TaskFlow's words. */
@Injectable()
export class TaskflowBoardRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. None of the columns is long, so that a page needs no budget. */
  async list(
    principal: Principal,
    project_id: string,
    status: TaskflowStatus | null,
    limit: number,
    offset: number,
  ): Promise<WorkflowTask[]> {
    return this.database.query<WorkflowTask>(
      `SELECT ${COLUMNS.map((column) => `t.${column}`).join(', ')}, w.handle AS assignee_handle
       FROM listed_tasks t LEFT JOIN workers w ON w.id = t.assignee_worker_id
       WHERE t.project_id = $1 AND ($2::uuid[] IS NULL OR t.project_id = ANY($2))
         ${status ? 'AND t.taskflow_status = $5' : ''}
       ORDER BY t.number DESC LIMIT $3 OFFSET $4`,
      [project_id, projectScope(principal), limit, offset, ...(status ? [status] : [])],
    );
  }
}
