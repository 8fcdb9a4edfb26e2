import { Injectable } from '@nestjs/common';
import { toJsonbText } from '../executions/log.repository.js';
import { withinBudget } from '../platform/database/answer-budget.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import type { NewApproval } from './approval.entity.js';

export interface ApprovalRule {
  id: string;
  number: string;
  project_id: string;
  tool_name: string;
  summary: string;
  input: Record<string, unknown>;
  made_by: string;
  created_at: Date;
}

const COLUMNS = 'id, number, project_id, tool_name, summary, input, made_by, created_at';
type Asked = Pick<NewApproval, 'project_id' | 'tool_name' | 'input'>;

@Injectable()
export class ApprovalRulesRepository {
  constructor(private readonly database: Database) {}

  /** @returns false if there is an equal one */
  async insert(_tx: Transaction, rule: Omit<ApprovalRule, 'number' | 'created_at'>): Promise<boolean> {
    const inserted = await this.database.affected(
      `INSERT INTO approval_rules (id, project_id, tool_name, summary, input, made_by)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [rule.id, rule.project_id, rule.tool_name, rule.summary, toJsonbText(rule.input), rule.made_by],
    );
    return inserted > 0;
  }

  /** The rule for the same tool with the same arguments. */
  async find({ project_id, tool_name, input }: Asked): Promise<ApprovalRule | null> {
    const [rule] = await this.database.query<ApprovalRule>(
      `SELECT ${COLUMNS}
       FROM approval_rules
       WHERE project_id = $1 AND tool_name = $2 AND input_hash = md5($3::jsonb::text) AND input = $3::jsonb`,
      [project_id, tool_name, toJsonbText(input)],
    );
    return rule ?? null;
  }

  /** Newest first. */
  async list(project_id: string, limit: number, cursor?: number): Promise<Page<ApprovalRule>> {
    const rows = await this.database.query<ApprovalRule>(
      withinBudget(
        `SELECT ${COLUMNS}
         FROM approval_rules
         WHERE project_id = $1 AND ($2::bigint IS NULL OR number < $2)
         ORDER BY number DESC
         LIMIT $3`,
        { columns: COLUMNS, long: ['summary'], json: 'input', order: 'number DESC' },
      ),
      [project_id, cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }

  /** @returns the rule, or null if it is none of the project */
  async delete(_tx: Transaction, project_id: string, id: string): Promise<ApprovalRule | null> {
    const [rule] = await this.database.query<ApprovalRule>(
      `DELETE FROM approval_rules WHERE id = $1 AND project_id = $2 RETURNING ${COLUMNS}`,
      [id, project_id],
    );
    return rule ?? null;
  }
}
