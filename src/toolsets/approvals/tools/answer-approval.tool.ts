import { Injectable } from '@nestjs/common';
import { AnswerApprovalInput, ApprovalOutput } from '../../../approvals/approval.dto.js';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { AnswerApprovalService } from '../../../orchestration/answer-approval.service.js';

@Injectable()
@Tool({
  name: 'answer_approval',
  title: 'Answer an approval request',
  input: AnswerApprovalInput,
  output: ApprovalOutput,
  effect: 'update',
  scope: 'approve',
  guide: {
    useWhen: 'An agent is waiting for permission, or wants its work delivered, and you can decide.',
    next: 'list_pending_approvals',
    avoid: 'Approving without reading input; denying without a reason the agent can act on.',
  },
})
export class AnswerApprovalTool implements ToolHandler<AnswerApprovalInput, ApprovalOutput> {
  constructor(private readonly answers: AnswerApprovalService) {}

  call(input: AnswerApprovalInput, { principal }: CallContext): Promise<ApprovalOutput> {
    return this.answers.answer(input, principal);
  }
}
