import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { AnswerApprovalInput, ApprovalOutput, ListApprovalsInput, ListApprovalsOutput } from './approval.dto.js';
import { ApprovalsService } from './approvals.service.js';

@ApiTags('approvals')
@Controller('api/approvals')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List approval requests.',
    scope: 'read',
    input: ListApprovalsInput,
    output: ListApprovalsOutput,
    errors: [],
  })
  listApprovals(
    @Input(ListApprovalsInput) input: ListApprovalsInput,
    @Caller() caller: Principal,
  ): Promise<ListApprovalsOutput> {
    return this.approvals.list(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: ':approval_id/answer',
    summary: 'Approve or deny a request.',
    scope: 'approve',
    input: AnswerApprovalInput,
    output: ApprovalOutput,
    errors: ['approval_not_found', 'not_a_member', 'approval_settled', 'forbidden'],
  })
  answerApproval(
    @Input(AnswerApprovalInput) input: AnswerApprovalInput,
    @Caller() caller: Principal,
  ): Promise<ApprovalOutput> {
    return this.approvals.answer(input, caller);
  }
}
