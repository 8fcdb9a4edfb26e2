import { membershipOf, projectScope } from '../platform/access/rights.js';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import type { ChainLink } from './hash-chain.js';
import { type NewThoughtRecord, ThoughtHead, ThoughtRecord } from './thought-record.entity.js';

/** Where the next record of a task belongs; null before the first. Its time is taken under the lock, so that none is
 *  earlier than the one before it. */
export type ChainEnd = { now: Date } & Record<'hash' | 'position', string | null>;

/** Records of a page of who names no limit. */
export const DEFAULT_ROWS = 100;

@Injectable()
export class ThoughtsRepository {
  constructor(private readonly database: Database) {}

  async insert(_tx: Transaction, record: NewThoughtRecord): Promise<void> {
    await this.database.manager.insert(ThoughtRecord, record);
  }

  /** The end of the chain of a task, which the transaction has locked. */
  async findEnd(_tx: Transaction, task_id: string): Promise<ChainEnd> {
    const [end] = await this.database.query<ChainEnd>(
      `SELECT head.hash, head.position, clock.now
       FROM (SELECT clock_timestamp() AS now) clock
       LEFT JOIN (
         SELECT hash, position FROM thought_heads WHERE task_id = $1 ORDER BY position DESC LIMIT 1
       ) head ON true`,
      [task_id],
    );
    return end!;
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
    cursor?: number,
  ): Promise<Page<ThoughtRecord> & { total_count: number }> {
    const from = `
      FROM thought_records r JOIN live_tasks t ON t.id = r.task_id
      WHERE ${VISIBLE}`;
    const values = [task_id, projectScope(principal), membershipOf(principal)];
    const rows = await this.database.query<ThoughtRecord>(
      withinBudget(`SELECT ${columnsOf(ThoughtRecord, 'r')} ${from} AND r.number > $4 ORDER BY r.number LIMIT $5`, {
        columns: columnsOf(ThoughtRecord),
        long: LONG,
        order: 'number',
      }),
      [...values, cursor ?? 0, limit + 1],
    );
    const [counted] = await this.database.query<{ total_count: number }>(
      `SELECT count(*)::int AS total_count ${from}`,
      values,
    );
    return { ...toPage(rows, limit, DEFAULT_ROWS), total_count: counted?.total_count ?? 0 };
  }

  /** Links of the chain of one task, or of all visible ones, deleted tasks included, after a position, within the
   *  budget of an answer. */
  async listLinks(
    principal: Principal,
    task_id: string | null,
    limit: number,
    after: Pick<ThoughtHead, 'task_id' | 'position'>,
  ): Promise<ChainLink[]> {
    const heads = await this.database.query<ThoughtHead>(
      withinBudget(
        `SELECT h.task_id, h.position, h.record_id, h.hash, r.content, r.agent_id, r.session_id
         FROM thought_heads h
         JOIN tasks t ON t.id = h.task_id
         LEFT JOIN thought_records r ON r.id = h.record_id
         WHERE ($1::uuid IS NULL OR h.task_id = $1) AND ${OF_PRINCIPAL}
           AND (h.task_id, h.position) > ($4::uuid, $5::bigint)
         ORDER BY h.task_id, h.position LIMIT $6`,
        { columns: columnsOf(ThoughtHead), long: LONG, order: 'task_id, position' },
      ),
      [task_id, projectScope(principal), membershipOf(principal), after.task_id, after.position, limit],
    );
    const records = await this.database.query<ThoughtRecord>(
      `SELECT ${columnsOf(ThoughtRecord)} FROM thought_records WHERE id = ANY($1)`,
      [heads.map(({ record_id }) => record_id)],
    );
    const byId = new Map(records.map((record) => [record.id, record]));
    return heads.map((head) => ({ head, record: byId.get(head.record_id) ?? null }));
  }

  /** Records added without a head. */
  async listWithoutHead(principal: Principal, task_id: string | null, limit: number): Promise<{ id: string }[]> {
    return this.database.query(
      `SELECT r.id
       FROM thought_records r
       JOIN tasks t ON t.id = r.task_id
       WHERE ${VISIBLE} AND NOT EXISTS (SELECT 1 FROM thought_heads h WHERE h.record_id = r.id)
       ORDER BY r.number LIMIT $4`,
      [task_id, projectScope(principal), membershipOf(principal), limit],
    );
  }
}

const LONG = ['content', 'agent_id', 'session_id'];

/** Before the first link of the first chain. */
export const CHAINS_BEGIN = { task_id: '00000000-0000-0000-0000-000000000000', position: '0' };

const OF_PRINCIPAL = `($2::uuid[] IS NULL OR t.project_id = ANY($2))
  AND project_role(t.project_id, $3) IS NOT NULL`;
const VISIBLE = `($1::uuid IS NULL OR r.task_id = $1) AND ${OF_PRINCIPAL}`;
