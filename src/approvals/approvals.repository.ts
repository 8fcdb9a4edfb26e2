import { Injectable } from '@nestjs/common';
import { type Guarded, requireMember } from '../platform/access/membership.js';
import type { Principal } from '../platform/access/principal.js';
import { projectScope } from '../platform/access/project-scope.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Approval, type ApprovalStatus } from './approval.entity.js';

@Injectable()
export class ApprovalsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(
    principal: Principal,
    filter: { status: ApprovalStatus; attempt_id?: string; cursor?: number },
    limit: number,
  ): Promise<Page<Approval>> {
    const rows = await this.database.query<Approval>(
      `SELECT ${columnsOf(Approval)}
       FROM approvals
       WHERE status = $1
         AND ($2::uuid IS NULL OR attempt_id = $2)
         AND ($3::bigint IS NULL OR number < $3)
         AND ($4::uuid[] IS NULL OR project_id = ANY($4))
         AND NOT is_excluded(project_id, $5)
       ORDER BY number DESC LIMIT $6`,
      [
        filter.status,
        filter.attempt_id ?? null,
        filter.cursor ?? null,
        projectScope(principal),
        principal.worker,
        limit + 1,
      ],
    );
    return toPage(rows, limit);
  }

  /** @throws AppError approval_not_found, not_a_member */
  async get(principal: Principal, id: string): Promise<Approval> {
    const [approval] = await this.database.query<Approval & Guarded>(
      `SELECT ${columnsOf(Approval)}, is_excluded(project_id, $3) AS is_excluded
       FROM approvals
       WHERE id = $1 AND ($2::uuid[] IS NULL OR project_id = ANY($2))`,
      [id, projectScope(principal), principal.worker],
    );
    if (!approval) throw new AppError('approval_not_found', { approval_id: id });
    return requireMember(approval, approval.project_id);
  }

  async insert(approval: Omit<Approval, 'number'>): Promise<void> {
    await this.database.manager.insert(Approval, approval as QueryDeepPartialEntity<Approval>);
  }

  /** Only a pending request can be settled, once. @returns false where it was settled before */
  async settle(id: string, status: ApprovalStatus, reason: string | null, answered_by: string): Promise<boolean> {
    return (
      (await this.database.affected(
        `UPDATE approvals SET status = $2, reason = $3, answered_by = $4, answered_at = now()
         WHERE id = $1 AND status = 'pending'`,
        [id, status, reason, answered_by],
      )) > 0
    );
  }

  /** What a run that ended leaves unanswered. */
  async cancelOf(execution_id: string): Promise<void> {
    await this.database.query(
      `UPDATE approvals SET status = 'cancelled', answered_at = now()
       WHERE execution_id = $1 AND status = 'pending'`,
      [execution_id],
    );
  }
}
