import { Injectable } from '@nestjs/common';
import { withinBudget } from '../platform/database/answer-budget.js';
import { Database } from '../platform/database/database.js';
import type { Project, VerificationSettings } from '../projects/project.entity.js';
import type { Origin } from './external-records.repository.js';
import { OWN_SYSTEM } from './external-records.repository.js';
import type { PagedRows } from './export-rows.sql.js';

export type ExportedRow = Origin & { row_place: string } & Record<string, unknown>;
export type ExportedTask = ExportedRow & { id: string; parent_id: string | null; parent_row_place: string | null };
export type ExportedProject = Origin &
  Pick<
    Project,
    | 'name'
    | 'slug'
    | 'description'
    | 'auto_commit'
    | 'network'
    | 'allowed_hosts'
    | 'presets'
    | 'required_secrets'
    | 'runs_on'
    | keyof VerificationSettings
    | 'created_at'
    | 'updated_at'
  >;

/** Rows of a page at most; long texts end it sooner. */
const PAGE = 500;

/** Reads what an export writes. */
@Injectable()
export class ExportRowsRepository {
  constructor(private readonly database: Database) {}

  /** Everything from here on is read as it is now. The first statement of a transaction. */
  async freeze(): Promise<void> {
    await this.database.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  }

  async findProject(id: string): Promise<ExportedProject | null> {
    const [project] = await this.database.query<ExportedProject>(
      `SELECT coalesce(origin_system, '${OWN_SYSTEM}') AS system, coalesce(origin_id, id::text) AS external_id, name,
         slug, description, auto_commit, network, allowed_hosts, presets, required_secrets, runs_on, checks,
         check_on, fix_rounds, review, retries, created_at, updated_at
       FROM projects
       WHERE id = $1 AND deleted_at IS NULL`,
      [id],
    );
    return project ?? null;
  }

  /** Page by page. @param of the project, or the tasks */
  async *pages<Row extends ExportedRow>(paged: PagedRows, of: unknown): AsyncGenerator<Row[]> {
    const columns = ['row_place', ...paged.columns].join(', ');
    const json = paged.json === undefined ? {} : { json: paged.json };
    const text = withinBudget(paged.text, { columns, long: [...paged.long], ...json, order: 'row_place' });
    for (let last = paged.start; ;) {
      const rows = await this.database.query<Row & { candidates: number }>(text, [of, last, PAGE]);
      if (rows.length === 0) return;
      yield rows;
      if (rows.length === rows[0]!.candidates && rows.length < PAGE) return;
      last = rows.at(-1)!.row_place;
    }
  }
}
