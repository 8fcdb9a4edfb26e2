import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import type { PermissionDecision, PermissionRequest } from '../executors/executor.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import type { Approval, ApprovalStatus } from './approval.entity.js';
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
    private readonly approvals: ApprovalsRepository,
    private readonly events: AttemptEvents,
  ) {}

  async list({ status = 'pending', ...input }: ListApprovalsInput, principal: Principal): Promise<ListApprovalsOutput> {
    const { rows, ...page } = await this.approvals.list(principal, { status, ...input }, pageLimit(input.limit));
    return { approvals: rows.map(toApprovalOutput), ...page };
  }

  /** @throws AppError approval_not_found, not_a_member, approval_settled */
  async answer({ approval_id, decision, reason }: AnswerApprovalInput, principal: Principal): Promise<ApprovalOutput> {
    await this.database.transaction(async () => {
      const approval = await this.approvals.get(principal, approval_id);
      const status = decision === 'approve' ? 'approved' : 'denied';
      if (!(await this.approvals.settle(approval_id, status, reason ?? null, principal.actor.name)))
        throw new AppError('approval_settled', { approval_id, status: approval.status });
      await this.events.approvalSettled(approval, status);
    });
    return toApprovalOutput(await this.approvals.get(principal, approval_id));
  }

  /** Stores the request and waits for its answer; without one it is denied. */
  async ask(execution: Execution, request: PermissionRequest): Promise<PermissionDecision> {
    const approval = await this.insert(execution, request);
    const settled = await this.hub.waitFor(
      execution.attempt_id,
      this.environment.APPROVAL_TIMEOUT_SECS * 1_000,
      async () => {
        const row = await this.approvals.get(localOwner, approval.id);
        return row.status === 'pending' ? null : row;
      },
    );
    if (settled === null) await this.approvals.settle(approval.id, 'timed_out', null, '@taskyard');
    const { status, reason } = settled ?? { status: 'timed_out' as const, reason: null };
    return status === 'approved' ? { allow: true } : { allow: false, reason: reason ?? refusals[status] ?? 'denied' };
  }

  /** Joins the open transaction in which the run ends. */
  async cancelOf(execution_id: string): Promise<void> {
    await this.approvals.cancelOf(execution_id);
  }

  private async insert(
    execution: Execution,
    { tool_name, tool_call, summary, input }: PermissionRequest,
  ): Promise<Omit<Approval, 'number'>> {
    const created_at = new Date();
    const timeout_at = new Date(created_at.getTime() + this.environment.APPROVAL_TIMEOUT_SECS * 1_000);
    const { id: execution_id, attempt_id, task_id, project_id } = execution;
    const approval: Omit<Approval, 'number'> = {
      id: newId(),
      execution_id,
      attempt_id,
      task_id,
      project_id,
      tool_name,
      tool_call,
      summary,
      input,
      status: 'pending',
      reason: null,
      answered_by: null,
      created_at,
      timeout_at,
      answered_at: null,
    };
    await this.database.transaction(async () => {
      await this.approvals.insert(approval);
      await this.events.approvalAsked(approval);
    });
    return approval;
  }
}
