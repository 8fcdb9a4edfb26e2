import { Injectable } from '@nestjs/common';
import { AnswerApprovalInput, ApprovalOutput } from '../../../approvals/approval.dto.js';
import { ApprovalsService } from '../../../approvals/approvals.service.js';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';

@Injectable()
@Tool({
  name: 'answer_approval',
  title: 'Answer an approval request',
  input: AnswerApprovalInput,
  output: ApprovalOutput,
  effect: 'update',
  scope: 'approve',
  guide: {
    useWhen: 'An agent is waiting for permission and you can decide.',
    next: 'list_pending_approvals',
    avoid: 'Approving without reading input; denying without a reason the agent can act on.',
  },
})
export class AnswerApprovalTool implements ToolHandler<AnswerApprovalInput, ApprovalOutput> {
  constructor(private readonly approvals: ApprovalsService) {}

  call(input: AnswerApprovalInput, { principal }: CallContext): Promise<ApprovalOutput> {
    return this.approvals.answer(input, principal);
  }
}
