import { Inject, Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import type { Approval, ApprovalKey, SettledApproval } from './approval.entity.js';
import {
  type AnswerApprovalInput,
  type ApprovalOutput,
  type ListApprovalsInput,
  type ListApprovalsOutput,
  toApprovalOutput,
} from './approval.dto.js';
import { ApprovalRules } from './approval-rules.service.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { HostGrants } from './host-grants.service.js';

/** Approval requests of agents, answered by a person or, if the settings allow it, by another agent; deliveries and
 *  hosts only by a person. */
@Injectable()
export class ApprovalsService {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly approvalRows: ApprovalsRepository,
    private readonly events: AttemptEvents,
    private readonly audit: AuditService,
    private readonly hostGrants: HostGrants,
    private readonly rules: ApprovalRules,
  ) {}

  /** @throws AppError approval_not_found, not_a_member */
  get(approval_id: string, principal: Principal): Promise<Approval> {
    return this.approvalRows.get(principal, approval_id);
  }

  async list({ status = 'pending', ...input }: ListApprovalsInput, principal: Principal): Promise<ListApprovalsOutput> {
    const { rows, ...page } = await this.approvalRows.list(principal, { status, ...input }, pageLimit(input.limit));
    return { approvals: rows.map(toApprovalOutput), ...page };
  }

  /** @throws AppError approval_not_found, not_a_member, approval_settled, forbidden, invalid_argument,
   *  insufficient_scope */
  async answer(input: AnswerApprovalInput, principal: Principal): Promise<ApprovalOutput> {
    const { approval_id, decision, reason = null } = input;
    return this.database.transaction(async (tx) => {
      const approval = await this.approvalRows.get(principal, approval_id);
      await this.requireMayAnswer(approval, principal);
      if (input.always) await this.rules.add(tx, approval, principal);
      const granted_for = await this.hostGrants.grant(tx, approval, input, principal);
      const status = decision === 'approve' ? 'approved' : 'denied';
      const answer: SettledApproval = { status, reason, granted_for };
      const isSettled = await this.approvalRows.settle(tx, approval_id, answer, principal.actor.name);
      const settled = await this.approvalRows.get(principal, approval_id);
      if (!isSettled) throw new AppError('approval_settled', { approval_id, status: settled.status });
      await this.events.approvalSettled(tx, approval, answer.status);
      await this.record(tx, approval, answer, principal);
      return toApprovalOutput(settled);
    });
  }

  /** Cancels what an ending execution leaves unanswered. */
  async cancelOf(tx: Transaction, execution_id: string): Promise<void> {
    for (const approval of await this.approvalRows.cancelOf(tx, execution_id))
      await this.events.approvalSettled(tx, approval, 'cancelled');
  }

  /** Agents are callers with the token of a run, or workers of that type. An agent cannot answer requests of its own
   *  attempt or of tasks it works on. @throws AppError forbidden */
  async requireMayAnswer(
    { attempt_id, task_id, delivery, requested_host }: Approval,
    principal: Principal,
  ): Promise<void> {
    const { actor, attempt, worker } = principal;
    if (actor.type !== 'agent' && attempt === null) return;
    if (this.environment.REQUIRE_HUMAN_APPROVAL === 'on' || delivery !== null || requested_host !== null)
      throw new AppError('forbidden', { reason: 'a person must answer this request' });
    if (attempt === attempt_id || (worker !== null && (await this.approvalRows.isAssignee(task_id, worker))))
      throw new AppError('forbidden', { reason: 'an agent cannot answer its own request' });
  }

  record(
    tx: Transaction,
    { id, attempt_id, execution_id, task_id, project_id, tool_name }: ApprovalKey,
    { status, reason }: SettledApproval,
    principal: Principal,
  ): Promise<void> {
    return this.audit.record(tx, principal, {
      entity_type: execution_id === null ? 'delivery' : 'execution',
      entity_id: execution_id ?? id,
      task_id,
      project_id,
      action: 'approval_answered',
      details: {
        attempt_id,
        approval_id: id,
        tool_name,
        before: 'pending',
        after: status,
        ...(reason ? { reason } : {}),
      },
    });
  }
}
