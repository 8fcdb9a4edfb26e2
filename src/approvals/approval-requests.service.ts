import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import type { PermissionDecision, PermissionRequest } from '../executors/executor.js';
import { asActor } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { ApprovalStatus, NewApproval, SettledApproval } from './approval.entity.js';
import { boundedRequest } from './bounded-request.js';
import { ApprovalRules } from './approval-rules.service.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';

const RETRY_MS = 500;
const refusals: Partial<Record<ApprovalStatus, string>> = {
  timed_out: 'the request expired without an answer',
  cancelled: 'the run was stopped',
};

/** Permission requests of running agents. An agent is only ever told the stored result. */
@Injectable()
export class ApprovalRequestsService {
  private readonly logger = new Logger(ApprovalRequestsService.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly approvalRows: ApprovalsRepository,
    private readonly events: AttemptEvents,
    private readonly rules: ApprovalRules,
    private readonly approvals: ApprovalsService,
  ) {}

  /** Stores the request and waits for its answer, unless an equal one was approved for good; at its deadline it is
   *  denied. @param lost aborted when the lease of the turn is lost: then another process decides */
  async ask(execution: Execution, request: PermissionRequest, lost: AbortSignal): Promise<PermissionDecision> {
    const approval = this.requestOf(execution, request);
    await this.retried(lost, () => this.store(approval), isOutage);
    const deadline = performance.now() + this.environment.APPROVAL_TIMEOUT_SECS * 1_000;
    const { status, reason } = await this.retried(lost, () => this.settledBy(deadline, approval));
    return status === 'approved' ? { allow: true } : { allow: false, reason: reason ?? refusals[status] ?? 'denied' };
  }

  private async store(approval: NewApproval): Promise<true> {
    await this.database.transaction(async (tx) => {
      if (!(await this.approvalRows.insert(tx, approval))) return;
      await this.events.approvalAsked(tx, approval);
      const approver = await this.rules.approverOf(approval);
      if (approver !== null) await this.approve(tx, approval, approver);
    });
    return true;
  }

  private async approve(tx: Transaction, approval: NewApproval, approver: string): Promise<void> {
    const yes = { status: 'approved' as const, reason: null };
    await this.settle(tx, approval, yes, approver);
    const told = { ...yes, reason: `${approver} approves it always` };
    await this.approvals.record(tx, approval, told, asActor('@taskyard', 'system'));
  }

  private async settle(
    tx: Transaction,
    approval: NewApproval,
    end: SettledApproval,
    answered_by: string,
  ): Promise<void> {
    if (await this.approvalRows.settle(tx, approval.id, end, answered_by))
      await this.events.approvalSettled(tx, approval, end.status);
  }

  /** The wait may end early, with too many waiters or at shutdown; then nothing is decided. */
  private async settledBy(deadline: number, approval: NewApproval): Promise<SettledApproval | null> {
    const left = Math.max(0, deadline - performance.now());
    const settled = await this.hub.waitFor(approval.attempt_id, left, () => this.approvalRows.findSettled(approval.id));
    return settled ?? (performance.now() < deadline || this.hub.isClosing ? null : this.expire(approval));
  }

  /** The row decides whether an answer or the deadline came first. */
  private expire(approval: NewApproval): Promise<SettledApproval | null> {
    return this.database.transaction(async (tx) => {
      await this.settle(tx, approval, { status: 'timed_out', reason: null }, '@taskyard');
      return this.approvalRows.findSettled(approval.id);
    });
  }

  /** Retries until there is a result, because a failure or a full server is no answer. At shutdown or without the
   *  lease, the agent gets no answer. @throws permanent failures */
  private async retried<T>(
    lost: AbortSignal,
    work: () => Promise<T | null>,
    mayPass = (_error: unknown): boolean => true,
  ): Promise<T> {
    for (let failures = 0; !lost.aborted && !this.hub.isClosing;) {
      try {
        const result = await work();
        if (result !== null) return result;
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (failures++ === 0) this.logger.warn({ err: error }, 'an approval request is kept waiting');
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
    return new Promise<never>(() => undefined);
  }

  private requestOf(execution: Execution, request: PermissionRequest): NewApproval {
    const { id: execution_id, attempt_id, task_id, project_id } = execution;
    return {
      id: newId(),
      execution_id,
      attempt_id,
      task_id,
      project_id,
      ...boundedRequest(request),
      delivery: null,
      requested_host: null,
      timeout_secs: this.environment.APPROVAL_TIMEOUT_SECS,
    };
  }
}

const isOutage = (error: unknown): boolean => toAppError(error)?.code === 'database_unavailable';
