import { Injectable } from '@nestjs/common';
import type { Approval, DeliveryRequest } from '../approvals/approval.entity.js';
import type { AnswerApprovalInput, ApprovalOutput } from '../approvals/approval.dto.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { DeliveryApprovals } from '../approvals/delivery-approvals.service.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { MergeAttemptService } from '../deliveries/merge-attempt.service.js';
import { MergePullRequestService } from '../pull-requests/merge-pull-request.service.js';
import type { MergePullRequestInput } from '../pull-requests/pull-request.dto.js';
import { PushAttemptService } from '../deliveries/push-attempt.service.js';
import { UndoMergeService } from '../deliveries/undo-merge.service.js';

/** Codes that mean that what was approved is no longer what would be delivered. */
const VOID = ['head_moved', 'uncommitted_changes', 'nothing_to_undo'];

/** Answers approval requests. The server performs an approved delivery in the name of the person who approved it, who
 *  therefore must be allowed to deliver. */
@Injectable()
export class AnswerApprovalService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly deliveries: DeliveryApprovals,
    private readonly attemptRows: AttemptsRepository,
    private readonly merges: MergeAttemptService,
    private readonly undos: UndoMergeService,
    private readonly pushes: PushAttemptService,
    private readonly pullRequests: MergePullRequestService,
  ) {}

  /** @throws AppError approval_not_found, not_a_member, approval_settled, forbidden, insufficient_scope, and those of
   *  the delivery; after a temporary one the request stays open */
  async answer(input: AnswerApprovalInput, principal: Principal): Promise<ApprovalOutput> {
    const approval = await this.approvals.get(input.approval_id, principal);
    // one that is to be approved for good is refused there
    if (approval.delivery === null || input.decision === 'deny' || input.always)
      return this.approvals.answer(input, principal);
    const deliverer = withRight(principal, rightOf({ scope: 'deliver' }));
    await this.attemptRows.get(deliverer, approval.attempt_id);
    await this.deliveries.claim(approval, deliverer);
    await this.perform(approval, approval.delivery, deliverer);
    return this.deliveries.performed(approval, deliverer);
  }

  private async perform(approval: Approval, delivery: DeliveryRequest, deliverer: Principal): Promise<void> {
    try {
      await this.deliver(delivery, `approval:${approval.id}`, deliverer);
    } catch (error) {
      const refused = toAppError(error);
      if (refused !== null && VOID.includes(refused.code)) await this.deliveries.makeVoid(approval, refused.message);
      else await this.deliveries.reopen(approval);
      throw error;
    }
  }

  private deliver(
    { act, heads, ...asked }: DeliveryRequest,
    request_id: string,
    deliverer: Principal,
  ): Promise<object> {
    const input = { ...asked.arguments, request_id };
    if (act === 'tampering') return Promise.resolve({}); // the yes itself is what a delivery looks for
    if (act === 'merge') return this.merges.merge(input, deliverer, heads);
    if (act === 'undo') return this.undos.undo(input, deliverer, heads);
    if (act === 'push') return this.pushes.push(input, deliverer, { approved: heads });
    return this.pullRequests.merge(input as MergePullRequestInput, deliverer, heads);
  }
}
