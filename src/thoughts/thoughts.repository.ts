import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { projectScope } from '../platform/access/project-scope.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type NewThoughtRecord, ThoughtRecord } from './thought-record.entity.js';

@Injectable()
export class ThoughtsRepository {
  constructor(private readonly database: Database) {}

  async insert(_tx: Transaction, record: NewThoughtRecord): Promise<void> {
    await this.database.manager.insert(ThoughtRecord, record);
  }

  /** Hash of the newest record of a task, which the transaction has locked. */
  async findLastHash(_tx: Transaction, task_id: string): Promise<string | null> {
    const [row] = await this.database.query<{ hash: string }>(
      'SELECT hash FROM thought_records WHERE task_id = $1 ORDER BY number DESC LIMIT 1',
      [task_id],
    );
    return row?.hash ?? null;
  }

  async exists(task_id: string): Promise<boolean> {
    return (
      (await this.database.query('SELECT 1 FROM thought_records WHERE task_id = $1 LIMIT 1', [task_id])).length > 0
    );
  }

  /** In the order of insertion, of live tasks: one task, or all that the principal may see. */
  async list(
    principal: Principal,
    task_id: string | null,
    limit: number,
  ): Promise<{ records: ThoughtRecord[]; total_count: number }> {
    const from = `
      FROM thought_records r JOIN live_tasks t ON t.id = r.task_id
      WHERE ${VISIBLE}`;
    const values = [task_id, projectScope(principal), principal.worker];
    const records = await this.database.query<ThoughtRecord>(
      `SELECT ${columnsOf(ThoughtRecord, 'r')} ${from} ORDER BY r.number LIMIT ${limit}`,
      values,
    );
    const [counted] = await this.database.query<{ total_count: number }>(
      `SELECT count(*)::int AS total_count ${from}`,
      values,
    );
    return { records, total_count: counted?.total_count ?? 0 };
  }

  /** The chains of one task, or of all that the principal may see, deleted ones too, in the order of insertion behind a
   *  number. */
  async listChains(
    principal: Principal,
    task_id: string | null,
    limit: number,
    after: string,
  ): Promise<ThoughtRecord[]> {
    return this.database.query<ThoughtRecord>(
      `SELECT ${columnsOf(ThoughtRecord, 'r')}
       FROM thought_records r JOIN tasks t ON t.id = r.task_id
       WHERE ${VISIBLE} AND r.number > $4
       ORDER BY r.number LIMIT $5`,
      [task_id, projectScope(principal), principal.worker, after, limit],
    );
  }
}

const VISIBLE = `($1::uuid IS NULL OR r.task_id = $1)
  AND ($2::uuid[] IS NULL OR t.project_id = ANY($2))
  AND NOT is_excluded(t.project_id, $3)`;
