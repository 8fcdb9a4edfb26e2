import { Injectable } from '@nestjs/common';
import { type Guarded, membershipOf, projectScope, requireRole } from '../../platform/access/rights.js';
import type { Principal } from '../../platform/access/principal.js';
import { columnsOf } from '../../platform/database/columns.js';
import { Database, type PreparedStatement } from '../../platform/database/database.js';
import type { TextTimes } from '../../platform/database/text-times.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UUID_PATTERN } from '../../platform/fields/formats.js';
import { type PageShape, pageStatement } from './stage-board.sql.js';
import { Task } from '../../tasks/task.entity.js';
import type { Stage } from '../../tasks/task-stage.js';

export type StageTask = TextTimes<Task & { assignee_handle: string | null }>;
export interface StagePage {
  rows: StageTask[];
  total: number;
  /** Tasks before the first row. */
  offset: number;
}
export interface StageFilter {
  stage?: Stage;
  project_id?: string | null;
  include_deleted?: boolean;
}

/** Tasks in the order they were made. */
@Injectable()
export class StageBoardRepository {
  constructor(private readonly database: Database) {}

  /** Any text is accepted as an id; one that is no UUID is not found. @throws AppError task_not_found, not_a_member */
  async get(principal: Principal, id: string): Promise<StageTask> {
    const [task] = UUID_PATTERN.test(id) ? await this.read(principal, id) : [];
    const nothing = () => new AppError('task_not_found', { task_id: id });
    if (!task) throw nothing();
    return requireRole(task, principal, nothing);
  }

  /** One page and the total count. */
  async list(
    principal: Principal,
    { stage, project_id, include_deleted = false }: StageFilter,
    limit: number,
    offset: number,
  ): Promise<StagePage> {
    const shape: PageShape = {
      board: project_id === undefined ? 'every' : project_id === null ? 'no_project' : 'project',
      stage: stage === undefined ? 'any' : 'one',
      withDeleted: include_deleted,
    };
    return this.page(principal, shape, { limit, offset, stage, project_id });
  }

  /** Tasks neither done nor cancelled. */
  async listOpen(principal: Principal, limit: number): Promise<StagePage> {
    return this.page(principal, { board: 'every', stage: 'open', withDeleted: false }, { limit, offset: 0 });
  }

  private read(principal: Principal, id: string): Promise<(StageTask & Guarded)[]> {
    return this.database.queryPrepared(ONE, [projectScope(principal), membershipOf(principal), id]);
  }

  private async page(
    principal: Principal,
    shape: PageShape,
    { limit, offset, stage, project_id }: { limit: number; offset: number } & Omit<StageFilter, 'include_deleted'>,
  ): Promise<StagePage> {
    const rows = await this.database.queryPrepared<PageRow>(pageStatement(shape), [
      projectScope(principal),
      membershipOf(principal),
      limit,
      offset,
      stage ?? null,
      project_id ?? null,
    ]);
    const isTask = (row: TextTimes<PageRow>): row is TextTimes<PageRow> & StageTask => row.id !== null;
    return { rows: rows.filter(isTask), total: rows[0]?.total ?? 0, offset };
  }
}

/** A page without tasks is one row that only says how many there are. */
type PageRow = (Task | { [Field in keyof Task]: null }) & { assignee_handle: string | null; total: number };

const ONE: PreparedStatement = {
  name: 'stage_board_task',
  text: `
  SELECT project_role(t.project_id, $2) AS project_role,
    ${columnsOf(Task, 't')},
    w.handle AS assignee_handle
  FROM live_tasks t LEFT JOIN workers w ON w.id = t.assignee_worker_id
  WHERE ($1::uuid[] IS NULL OR t.project_id = ANY($1)) AND t.id = $3`,
};
