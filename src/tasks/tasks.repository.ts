import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, requireMember } from '../platform/access/membership.js';
import { projectScope } from '../platform/access/project-scope.js';
import { Database, type PreparedStatement } from '../platform/database/database.js';
import { ANY_WANTED, RowLoader } from '../platform/database/row-loader.js';
import type { TextTimes } from '../platform/database/text-times.js';
import { AppError } from '../platform/errors/app-error.js';
import { MAX_LIMIT, type Page, toPage } from '../platform/fields/paging.js';
import { ATTEMPT_SUMMARY_COLUMNS, ATTEMPT_SUMMARY_JOINS } from './task-summary.sql.js';
import type { AttemptSummaryFields } from './task.dto.js';
import { Task } from './task.entity.js';
import type { TaskStatus } from './task-stage.js';

type ListedTask = Task & AttemptSummaryFields;
type ShownTask = ListedTask & { assignee_handle: string | null };
export type TaskWithAttempts = TextTimes<ListedTask>;

@Injectable()
export class TasksRepository {
  private readonly shown: RowLoader<ShownTask & Guarded>;

  constructor(private readonly database: Database) {
    this.shown = new RowLoader(database, ONE, ({ id }) => id);
  }

  /** Newest first. One statement, whatever the number of tasks; a project that is not there, or not for this worker, has none. */
  async list(
    principal: Principal,
    { project_id, status, cursor }: { project_id: string; status?: TaskStatus; cursor?: number },
    limit: number,
  ): Promise<Page<TaskWithAttempts>> {
    const values = [
      project_id,
      projectScope(principal),
      cursor ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
      principal.worker,
    ];
    const rows = await (status
      ? this.database.queryPrepared<ListedTask>(LIST_OF_STATUS, [...values, status])
      : this.database.queryPrepared<ListedTask>(LIST, values));
    return toPage(rows, limit);
  }

  /** @throws AppError task_not_found, not_a_member */
  async getWithAttempts(principal: Principal, id: string): Promise<TextTimes<ShownTask>> {
    const task = await this.shown.find(principal, id);
    if (!task) throw new AppError('task_not_found', { task_id: id });
    return requireMember(task, task.project_id);
  }

  /** Deleted or not. @throws AppError task_not_found, not_a_member */
  async requireKnown(principal: Principal, id: string): Promise<void> {
    const [task] = await this.database.query<Guarded & Pick<Task, 'project_id'>>(
      'SELECT project_id, keeps_out(project_id, $3) AS is_kept_out FROM tasks WHERE id = $1 AND ($2::uuid[] IS NULL OR project_id = ANY($2))',
      [id, projectScope(principal), principal.worker],
    );
    if (!task) throw new AppError('task_not_found', { task_id: id });
    requireMember(task, task.project_id);
  }

  /** The row, locked until the end of the transaction. @throws AppError task_not_found, not_a_member */
  async lock(principal: Principal, id: string): Promise<Task> {
    const [task] = await this.database.query<Task & Guarded>(
      'SELECT *, keeps_out(project_id, $3) AS is_kept_out FROM tasks WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid[] IS NULL OR project_id = ANY($2)) FOR UPDATE',
      [id, projectScope(principal), principal.worker],
    );
    if (!task) throw new AppError('task_not_found', { task_id: id });
    const { is_kept_out, ...row } = requireMember(task, task.project_id);
    return row as Task;
  }

  async insert(task: Omit<Task, 'number' | 'status' | 'taskflow_status'>): Promise<void> {
    await this.database.manager.insert(Task, task);
  }

  async update(id: string, change: Partial<Task>): Promise<void> {
    await this.database.manager.update(Task, { id }, { ...change, updated_at: new Date() });
  }

  /** Why a task cannot leave its project, in words; null if nothing ties it. */
  async findTie(id: string): Promise<string | null> {
    const [{ tie }] = await this.database.query<{ tie: string | null }>(
      `SELECT CASE WHEN t.parent_task_id IS NOT NULL THEN 'it is a subtask' WHEN EXISTS (SELECT 1 FROM live_tasks c WHERE c.parent_task_id = t.id) THEN 'it has subtasks'
         WHEN EXISTS (SELECT 1 FROM attempts a WHERE a.task_id = t.id) THEN 'it has attempts' END AS tie FROM tasks t WHERE t.id = $1`,
      [id],
    );
    return tie;
  }

  /** Live tasks directly below one, at most 20. */
  async listChildren(id: string): Promise<string[]> {
    return (
      await this.database.query<{ id: string }>(
        'SELECT id FROM live_tasks WHERE parent_task_id = $1 ORDER BY number LIMIT 20',
        [id],
      )
    ).map((row) => row.id);
  }

  /** Tasks of a project that are not deleted. */
  async listIds(project_id: string): Promise<string[]> {
    return (
      await this.database.query<{ id: string }>('SELECT id FROM live_tasks WHERE project_id = $1', [project_id])
    ).map((row) => row.id);
  }
}

const LIST_COLUMNS = 't.id, t.number, t.title, t.status, t.is_blocked, t.created_at, t.updated_at';
const TASK_COLUMNS = `${LIST_COLUMNS}, t.project_id, t.parent_task_id, t.description, t.stage, t.taskflow_status, t.assignee_worker_id, t.assignee_text, t.created_by_worker_id,
  t.priority, t.progress_percent, t.tags, t.due_date, t.started_at, t.completed_at, t.deleted_at`;

/** One plan serves any project and page. Its values stand behind subqueries, where the planner does not weigh them. Compared as rows and ordered by the
 *  whole key, tasks come from the index of that key alone: by `=` the index of all numbers seems as good, and takes 35 ms where others have 100 000
 *  newer tasks. The largest page is named, as a plan that cannot know the limit reckons with a tenth of the board. */
const listed = (name: string, key: string[], values: string): PreparedStatement => ({
  name,
  text: `
  SELECT ${LIST_COLUMNS}, ${ATTEMPT_SUMMARY_COLUMNS} FROM (
    SELECT * FROM (
      SELECT * FROM live_tasks
      WHERE (${key}, number) < (${values}, (SELECT $3::bigint)) AND (${key}) >= (${values}) AND ($2::uuid[] IS NULL OR project_id = ANY($2))
        AND EXISTS (SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL) AND (SELECT NOT keeps_out($1, $5))
      ORDER BY ${key.map((column) => `${column} DESC`)}, number DESC LIMIT ${MAX_LIMIT + 1}
    ) largest LIMIT $4
  ) t ${ATTEMPT_SUMMARY_JOINS} ORDER BY t.number DESC`,
});
const LIST = listed('tasks', ['project_id'], '(SELECT $1::uuid)');
const LIST_OF_STATUS = listed('tasks_of_status', ['project_id', 'status'], '(SELECT $1::uuid), (SELECT $6::text)');

const ONE: PreparedStatement = {
  name: 'task',
  text: `
  SELECT ${TASK_COLUMNS}, keeps_out(t.project_id, $3) AS is_kept_out, w.handle AS assignee_handle, ${ATTEMPT_SUMMARY_COLUMNS}
  FROM live_tasks t LEFT JOIN workers w ON w.id = t.assignee_worker_id ${ATTEMPT_SUMMARY_JOINS}
  WHERE t.id = ${ANY_WANTED} AND ($2::uuid[] IS NULL OR t.project_id = ANY($2))`,
};
