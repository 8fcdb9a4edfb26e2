import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Approval, DeliveryRequest } from './approval.entity.js';
import { type ApprovalOutput, toApprovalOutput } from './approval.dto.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { boundedRequest } from './bounded-request.js';

export interface AskedDelivery {
  attempt: { id: string; task_id: string; project_id: string };
  tool_name: string;
  summary: string;
  /** What the person is shown. */
  input: Record<string, unknown>;
  delivery: DeliveryRequest;
}

const ASKED_ANEW = 'it was asked for anew, with other arguments or another commit';

/** Deliveries that wait for a person. The row is claimed before anything moves, so that one answer counts; after a
 *  crash the same answer performs it again. */
@Injectable()
export class DeliveryApprovals {
  constructor(
    private readonly database: Database,
    private readonly approvalRows: ApprovalsRepository,
    private readonly approvals: ApprovalsService,
    private readonly events: AttemptEvents,
  ) {}

  /** One request per attempt and tool: an equal one is reused, a different one replaces it.
   *  @returns its id */
  async ask({ attempt, delivery, ...shown }: AskedDelivery): Promise<string> {
    return this.database.transaction(async (tx) => {
      const open = await this.approvalRows.findOpenDelivery(tx, attempt.id, shown.tool_name);
      if (open !== null && isDeepStrictEqual(open.delivery, delivery)) return open.id;
      if (open !== null) await this.supersede(tx, open);
      const approval = {
        id: newId(),
        execution_id: null,
        attempt_id: attempt.id,
        task_id: attempt.task_id,
        project_id: attempt.project_id,
        ...boundedRequest({ tool_call: null, ...shown }),
        delivery,
        requested_host: null,
        timeout_secs: null,
      };
      await this.approvalRows.insert(tx, approval);
      await this.events.approvalAsked(tx, approval);
      return approval.id;
    });
  }

  /** Claims the delivery for the server to perform. @throws AppError approval_settled, forbidden */
  async claim(approval: Approval, principal: Principal): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.approvals.requireMayAnswer(approval, principal);
      const yes = { status: 'approved' as const, reason: null };
      if (await this.approvalRows.settle(tx, approval.id, yes, principal.actor.name)) return;
      const { status, performed_at } = await this.approvalRows.get(principal, approval.id);
      if (status !== 'approved' || performed_at !== null)
        throw new AppError('approval_settled', { approval_id: approval.id, status });
    });
  }

  /** Recorded once, by the first call. */
  async performed(approval: Approval, principal: Principal): Promise<ApprovalOutput> {
    return this.database.transaction(async (tx) => {
      if (await this.approvalRows.setPerformed(tx, approval.id)) {
        await this.events.approvalSettled(tx, approval, 'approved');
        await this.approvals.record(tx, approval, { status: 'approved', reason: null }, principal);
      }
      return toApprovalOutput(await this.approvalRows.get(principal, approval.id));
    });
  }

  /** It failed for a temporary reason: the request waits for another answer. */
  async reopen(approval: Approval): Promise<void> {
    const isOpen = await this.database.transaction((tx) => this.approvalRows.reopen(tx, approval.id));
    if (!isOpen) await this.makeVoid(approval, ASKED_ANEW);
  }

  /** What was approved no longer exists. */
  async makeVoid(approval: Approval, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await this.approvalRows.setVoid(tx, approval.id, reason))
        await this.events.approvalSettled(tx, approval, 'cancelled');
    });
  }

  private async supersede(tx: Parameters<ApprovalsRepository['settle']>[0], approval: Approval): Promise<void> {
    await this.approvalRows.settle(tx, approval.id, { status: 'cancelled', reason: ASKED_ANEW }, '@taskyard');
    await this.events.approvalSettled(tx, approval, 'cancelled');
  }
}
