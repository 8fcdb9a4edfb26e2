import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { projectScope } from '../platform/access/project-scope.js';
import { Database } from '../platform/database/database.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import type { Task } from './task.entity.js';
import type { Stage } from './task-stage.js';

export type StageTask = Task & { assignee_handle: string | null };
export interface StageFilter { stage?: Stage; project_id?: string | null; include_deleted?: boolean }

const COLUMNS = 't.*, w.handle AS assignee_handle FROM tasks t LEFT JOIN workers w ON w.id = t.assignee_worker_id';
const VISIBLE = '($1::uuid[] IS NULL OR t.project_id = ANY($1)) AND NOT coalesce(keeps_out(t.project_id, $2), false)';

/** Tasks in the order they were made. */
@Injectable()
export class StageBoardRepository {
  constructor(private readonly database: Database) {}

  /** Any text may stand for an id; what is no UUID names no task. */
  async find(principal: Principal, id: string): Promise<StageTask | null> {
    if (!UUID_PATTERN.test(id)) return null;
    const [task] = await this.database.query<StageTask>(`SELECT ${COLUMNS} WHERE ${VISIBLE} AND t.id = $3 AND t.deleted_at IS NULL`, [projectScope(principal), principal.worker, id]);
    return task ?? null;
  }

  /** One page and how many there are in all. */
  async list(principal: Principal, filter: StageFilter, limit: number, offset: number): Promise<{ rows: StageTask[]; total: number }> {
    const where = `${VISIBLE} AND ($3::text IS NULL OR t.stage = $3) AND ($4 OR t.deleted_at IS NULL)
      AND CASE WHEN $5 THEN t.project_id IS NOT DISTINCT FROM $6::uuid ELSE true END`;
    const values = [projectScope(principal), principal.worker, filter.stage ?? null, filter.include_deleted ?? false, filter.project_id !== undefined, filter.project_id ?? null];
    return this.page(where, values, limit, offset);
  }

  /** What is neither done nor cancelled. */
  async listOpen(principal: Principal, limit: number): Promise<{ rows: StageTask[]; total: number }> {
    return this.page(`${VISIBLE} AND t.deleted_at IS NULL AND t.stage NOT IN ('DONE', 'CANCELLED')`, [projectScope(principal), principal.worker], limit, 0);
  }

  private async page(where: string, values: unknown[], limit: number, offset: number): Promise<{ rows: StageTask[]; total: number }> {
    const rows = await this.database.query<StageTask>(`SELECT ${COLUMNS} WHERE ${where} ORDER BY t.number LIMIT ${limit} OFFSET ${offset}`, values);
    const [{ total }] = await this.database.query<{ total: number }>(`SELECT count(*)::int AS total FROM tasks t WHERE ${where}`, values);
    return { rows, total };
  }
}
