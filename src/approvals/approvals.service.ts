import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import type { PermissionDecision, PermissionRequest } from '../executors/executor.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import type { ApprovalStatus, NewApproval } from './approval.entity.js';
import {
  type AnswerApprovalInput,
  type ApprovalOutput,
  type ListApprovalsInput,
  type ListApprovalsOutput,
  toApprovalOutput,
} from './approval.dto.js';
import { ApprovalsRepository } from './approvals.repository.js';

const refusals: Partial<Record<ApprovalStatus, string>> = {
  timed_out: 'the request expired without an answer',
  cancelled: 'the run was stopped',
};

/** Approval requests of agents, answered by a person or another agent. */
@Injectable()
export class ApprovalsService {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly approvalRows: ApprovalsRepository,
    private readonly events: AttemptEvents,
  ) {}

  async list({ status = 'pending', ...input }: ListApprovalsInput, principal: Principal): Promise<ListApprovalsOutput> {
    const { rows, ...page } = await this.approvalRows.list(principal, { status, ...input }, pageLimit(input.limit));
    return { approvals: rows.map(toApprovalOutput), ...page };
  }

  /** @throws AppError approval_not_found, not_a_member, approval_settled */
  async answer({ approval_id, decision, reason }: AnswerApprovalInput, principal: Principal): Promise<ApprovalOutput> {
    await this.database.transaction(async (tx) => {
      const approval = await this.approvalRows.get(principal, approval_id);
      const status = decision === 'approve' ? 'approved' : 'denied';
      if (!(await this.approvalRows.settle(approval_id, status, reason ?? null, principal.actor.name)))
        throw new AppError('approval_settled', { approval_id, status: approval.status });
      await this.events.approvalSettled(tx, approval, status);
    });
    return toApprovalOutput(await this.approvalRows.get(principal, approval_id));
  }

  /** Stores the request and waits for its answer; without one it is denied. */
  async ask(execution: Execution, request: PermissionRequest): Promise<PermissionDecision> {
    const approval = await this.insert(execution, request);
    const settled = await this.hub.waitFor(
      execution.attempt_id,
      this.environment.APPROVAL_TIMEOUT_SECS * 1_000,
      async () => {
        const row = await this.approvalRows.get(localOwner, approval.id);
        return row.status === 'pending' ? null : row;
      },
    );
    if (settled === null) await this.approvalRows.settle(approval.id, 'timed_out', null, '@taskyard');
    const { status, reason } = settled ?? { status: 'timed_out' as const, reason: null };
    return status === 'approved' ? { allow: true } : { allow: false, reason: reason ?? refusals[status] ?? 'denied' };
  }

  /** What an execution that ends leaves unanswered. */
  async cancelOf(tx: Transaction, execution_id: string): Promise<void> {
    await this.approvalRows.cancelOf(tx, execution_id);
  }

  private async insert(
    execution: Execution,
    { tool_name, tool_call, summary, input }: PermissionRequest,
  ): Promise<NewApproval> {
    const created_at = new Date();
    const timeout_at = new Date(created_at.getTime() + this.environment.APPROVAL_TIMEOUT_SECS * 1_000);
    const { id: execution_id, attempt_id, task_id, project_id } = execution;
    const approval: NewApproval = {
      id: newId(),
      execution_id,
      attempt_id,
      task_id,
      project_id,
      tool_name,
      tool_call,
      summary,
      input,
      created_at,
      timeout_at,
    };
    await this.database.transaction(async (tx) => {
      await this.approvalRows.insert(tx, approval);
      await this.events.approvalAsked(tx, approval);
    });
    return approval;
  }
}
