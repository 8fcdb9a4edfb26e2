import { Injectable } from '@nestjs/common';
import { type Guarded, requireMember } from '../../platform/access/membership.js';
import type { Principal } from '../../platform/access/principal.js';
import { projectScope } from '../../platform/access/project-scope.js';
import { Database } from '../../platform/database/database.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UUID_PATTERN } from '../../platform/fields/formats.js';
import type { Task } from '../../tasks/task.entity.js';
import type { Stage } from '../../tasks/task-stage.js';

export type StageTask = Task & { assignee_handle: string | null };
export interface StageFilter {
  stage?: Stage;
  project_id?: string | null;
  include_deleted?: boolean;
}

const COLUMNS = 't.*, w.handle AS assignee_handle FROM tasks t LEFT JOIN workers w ON w.id = t.assignee_worker_id';
const IN_SCOPE = '($1::uuid[] IS NULL OR t.project_id = ANY($1))';
const VISIBLE = `${IN_SCOPE} AND NOT keeps_out(t.project_id, $2)`;

/** Tasks in creation order. */
@Injectable()
export class StageBoardRepository {
  constructor(private readonly database: Database) {}

  /** Any text may stand for an id; what is no UUID names no task. @throws AppError task_not_found, not_a_member */
  async get(principal: Principal, id: string): Promise<StageTask> {
    const [task] = UUID_PATTERN.test(id) ? await this.read(principal, id) : [];
    if (!task) throw new AppError('task_not_found', { task_id: id });
    return requireMember(task, task.project_id);
  }

  /** One page and how many there are in all. */
  async list(
    principal: Principal,
    filter: StageFilter,
    limit: number,
    offset: number,
  ): Promise<{ rows: StageTask[]; total: number }> {
    const where = `${VISIBLE} AND ($3::text IS NULL OR t.stage = $3) AND ($4 OR t.deleted_at IS NULL)
      AND CASE WHEN $5 THEN t.project_id IS NOT DISTINCT FROM $6::uuid ELSE true END`;
    const values = [
      projectScope(principal),
      principal.worker,
      filter.stage ?? null,
      filter.include_deleted ?? false,
      filter.project_id !== undefined,
      filter.project_id ?? null,
    ];
    return this.page(where, values, limit, offset);
  }

  /** What is neither done nor cancelled. */
  async listOpen(principal: Principal, limit: number): Promise<{ rows: StageTask[]; total: number }> {
    return this.page(
      `${VISIBLE} AND t.deleted_at IS NULL AND t.stage NOT IN ('DONE', 'CANCELLED')`,
      [projectScope(principal), principal.worker],
      limit,
      0,
    );
  }

  private read(principal: Principal, id: string): Promise<(StageTask & Guarded)[]> {
    return this.database.query(
      `SELECT keeps_out(t.project_id, $2) AS is_kept_out, ${COLUMNS} WHERE ${IN_SCOPE} AND t.id = $3 AND t.deleted_at IS NULL`,
      [projectScope(principal), principal.worker, id],
    );
  }

  private async page(
    where: string,
    values: unknown[],
    limit: number,
    offset: number,
  ): Promise<{ rows: StageTask[]; total: number }> {
    const rows = await this.database.query<StageTask>(
      `SELECT ${COLUMNS} WHERE ${where} ORDER BY t.number LIMIT ${limit} OFFSET ${offset}`,
      values,
    );
    const [{ total }] = await this.database.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM tasks t WHERE ${where}`,
      values,
    );
    return { rows, total };
  }
}
