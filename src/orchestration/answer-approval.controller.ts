import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AnswerApprovalInput, ApprovalOutput } from '../approvals/approval.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { AnswerApprovalService } from './answer-approval.service.js';
import { answerErrors } from './delivery-refusals.js';

@ApiTags('approvals')
@Controller('api/approvals')
export class AnswerApprovalController {
  constructor(private readonly answers: AnswerApprovalService) {}

  @Endpoint({
    method: 'POST',
    path: ':approval_id/answer',
    summary: 'Approve or deny a request; an approved delivery is performed.',
    scope: 'approve',
    input: AnswerApprovalInput,
    output: ApprovalOutput,
    errors: answerErrors,
  })
  answerApproval(
    @Input(AnswerApprovalInput) input: AnswerApprovalInput,
    @Caller() caller: Principal,
  ): Promise<ApprovalOutput> {
    return this.answers.answer(input, caller);
  }
}
