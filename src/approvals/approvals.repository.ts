import { Injectable } from '@nestjs/common';
import { type Guarded, membershipOf, projectScope, requireRole } from '../platform/access/rights.js';
import type { Principal } from '../platform/access/principal.js';
import { withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { toJsonbText } from '../executions/log.repository.js';
import {
  Approval,
  type ApprovalKey,
  type ApprovalStatus,
  type NewApproval,
  type SettledApproval,
} from './approval.entity.js';

const COLUMNS = columnsOf(Approval);

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
      withinBudget(
        `SELECT ${COLUMNS}
         FROM approvals
         WHERE status = $1 AND ($2::uuid IS NULL OR attempt_id = $2) AND ($3::bigint IS NULL OR number < $3)
           AND ($4::uuid[] IS NULL OR project_id = ANY($4)) AND project_role(project_id, $5) IS NOT NULL
         ORDER BY number DESC
         LIMIT $6`,
        { columns: COLUMNS, long: ['summary', 'reason'], json: 'input', order: 'number DESC' },
      ),
      [
        filter.status,
        filter.attempt_id ?? null,
        filter.cursor ?? null,
        projectScope(principal),
        membershipOf(principal),
        limit + 1,
      ],
    );
    return toPage(rows, limit);
  }

  /** @throws AppError approval_not_found, not_a_member */
  async get(principal: Principal, id: string): Promise<Approval> {
    const [approval] = await this.database.query<Approval & Guarded>(
      `SELECT ${COLUMNS}, project_role(project_id, $3) AS project_role
       FROM approvals
       WHERE id = $1 AND ($2::uuid[] IS NULL OR project_id = ANY($2))`,
      [id, projectScope(principal), membershipOf(principal)],
    );
    const nothing = () => new AppError('approval_not_found', { approval_id: id });
    if (!approval) throw nothing();
    return requireRole(approval, principal, nothing);
  }

  /** @returns false if it exists already: the answer to an earlier try was lost, or another asks for the host */
  async insert(_tx: Transaction, approval: NewApproval): Promise<boolean> {
    const inserted = await this.database.affected(
      `INSERT INTO approvals (
         id, execution_id, attempt_id, task_id, project_id,
         tool_name, tool_call, summary, input, status, timeout_at, delivery, requested_host
       ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', now() + $10 * interval '1 second', $11, $12)
       ON CONFLICT DO NOTHING`,
      [
        approval.id,
        approval.execution_id,
        approval.attempt_id,
        approval.task_id,
        approval.project_id,
        approval.tool_name,
        approval.tool_call,
        approval.summary,
        toJsonbText(approval.input),
        approval.timeout_secs,
        approval.delivery && toJsonbText(approval.delivery),
        approval.requested_host,
      ],
    );
    return inserted > 0;
  }

  /** How a request ended; null while it is pending. */
  async findSettled(id: string): Promise<SettledApproval | null> {
    const [settled] = await this.database.query<SettledApproval>(
      `SELECT status, reason
       FROM approvals
       WHERE id = $1 AND status <> 'pending'`,
      [id],
    );
    return settled ?? null;
  }

  /** Whether the worker is the one who works on the task. */
  async isAssignee(task_id: string, worker: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1
       FROM tasks
       WHERE id = $1 AND assignee_worker_id = $2`,
      [task_id, worker],
    );
    return rows.length > 0;
  }

  /** Only a pending request can be settled, once. @returns false if it was settled before */
  async settle(
    _tx: Transaction,
    id: string,
    { status, reason, granted_for }: SettledApproval,
    answered_by: string,
  ): Promise<boolean> {
    const settled = await this.database.affected(
      `UPDATE approvals
       SET status = $2, reason = $3, answered_by = $4, answered_at = now(), granted_for = $5
       WHERE id = $1 AND status = 'pending'`,
      [id, status, reason, answered_by, granted_for ?? null],
    );
    return settled > 0;
  }

  /** A delivery that waits for an answer. */
  async findOpenDelivery(_tx: Transaction, attempt_id: string, tool_name: string): Promise<Approval | null> {
    const [approval] = await this.database.query<Approval>(
      `SELECT ${COLUMNS}
       FROM approvals
       WHERE attempt_id = $1 AND tool_name = $2 AND status = 'pending' AND delivery IS NOT NULL
       FOR UPDATE`,
      [attempt_id, tool_name],
    );
    return approval ?? null;
  }

  /** The last that people approved. */
  listApprovedDeliveries(attempt_id: string, tool_name: string): Promise<Pick<Approval, 'delivery'>[]> {
    return this.database.query(
      `SELECT delivery
       FROM approvals
       WHERE attempt_id = $1 AND tool_name = $2 AND status = 'approved' AND delivery IS NOT NULL
       ORDER BY number DESC LIMIT 20`,
      [attempt_id, tool_name],
    );
  }

  /** The request of a run for a host: the one that waits, else the last. @returns its id, or null */
  async findHostRequest(execution_id: string, host: string): Promise<string | null> {
    const [approval] = await this.database.query<Pick<Approval, 'id'>>(
      `SELECT id
       FROM approvals
       WHERE execution_id = $1 AND requested_host = $2
       ORDER BY status = 'pending' DESC, number DESC LIMIT 1`,
      [execution_id, host],
    );
    return approval?.id ?? null;
  }

  /** Hosts that were approved for a run. */
  async grantedHosts(execution_id: string): Promise<string[]> {
    const rows = await this.database.query<{ requested_host: string }>(
      `SELECT requested_host
       FROM approvals
       WHERE execution_id = $1 AND requested_host IS NOT NULL AND status = 'approved'`,
      [execution_id],
    );
    return rows.map(({ requested_host }) => requested_host);
  }

  /** Marks the approved delivery as performed. @returns false if another call already did */
  async setPerformed(_tx: Transaction, id: string): Promise<boolean> {
    const performed = await this.database.affected(
      `UPDATE approvals
       SET performed_at = now()
       WHERE id = $1 AND status = 'approved' AND performed_at IS NULL`,
      [id],
    );
    return performed > 0;
  }

  /** The approved delivery failed: the request waits again, unless a newer one replaced it. @returns false if it does
   *  not */
  async reopen(_tx: Transaction, id: string): Promise<boolean> {
    const opened = await this.database.affected(
      `UPDATE approvals a
       SET status = 'pending', answered_by = NULL, answered_at = NULL
       WHERE id = $1 AND status = 'approved' AND performed_at IS NULL AND NOT EXISTS (
         SELECT 1 FROM approvals b
         WHERE b.attempt_id = a.attempt_id AND b.tool_name = a.tool_name AND b.status = 'pending'
           AND b.delivery IS NOT NULL
       )`,
      [id],
    );
    return opened > 0;
  }

  /** The approved delivery is no longer what was shown. @returns false if it has been performed */
  async setVoid(_tx: Transaction, id: string, reason: string): Promise<boolean> {
    const ended = await this.database.affected(
      `UPDATE approvals
       SET status = 'cancelled', reason = $2
       WHERE id = $1 AND status = 'approved' AND performed_at IS NULL`,
      [id, reason],
    );
    return ended > 0;
  }

  /** Settled ones, at most so many. @returns how many were deleted */
  async prune(days: number, most: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM approvals
       WHERE id = ANY(ARRAY(
         SELECT id FROM approvals
         WHERE status <> 'pending' AND answered_at < now() - $1 * interval '1 day'
         LIMIT $2
       ))`,
      [days, most],
    );
  }

  /** Cancels what an ended execution left unanswered. @returns the cancelled requests */
  async cancelOf(_tx: Transaction, execution_id: string): Promise<ApprovalKey[]> {
    return this.database.query(
      `UPDATE approvals
       SET status = 'cancelled', answered_at = now()
       WHERE execution_id = $1 AND status = 'pending'
       RETURNING id, attempt_id, execution_id, task_id, project_id, tool_name`,
      [execution_id],
    );
  }
}
