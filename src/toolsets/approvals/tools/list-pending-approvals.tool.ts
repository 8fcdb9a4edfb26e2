import { Injectable } from '@nestjs/common';
import { ListPendingApprovalsInput, ListApprovalsOutput } from '../../../approvals/approval.dto.js';
import { ApprovalsService } from '../../../approvals/approvals.service.js';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';

@Injectable()
@Tool({
  name: 'list_pending_approvals',
  title: 'List what agents ask',
  input: ListPendingApprovalsInput,
  output: ListApprovalsOutput,
  effect: 'read',
  guide: {
    useWhen: 'You want to know what agents wait for permission to do.',
    next: 'answer_approval',
    avoid: 'Polling fast; requests wait for an hour.',
  },
})
export class ListPendingApprovalsTool implements ToolHandler<ListPendingApprovalsInput, ListApprovalsOutput> {
  constructor(private readonly approvals: ApprovalsService) {}

  call(input: ListPendingApprovalsInput, { principal }: CallContext): Promise<ListApprovalsOutput> {
    return this.approvals.list(input, principal);
  }
}
