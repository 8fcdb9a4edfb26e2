import { Injectable } from '@nestjs/common';
import { ListPendingApprovalsInput, ListApprovalsOutput } from '../../../approvals/approval.dto.js';
import { ApprovalsService } from '../../../approvals/approvals.service.js';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';

@Injectable()
@Tool({
  name: 'list_pending_approvals',
  title: 'List pending approvals',
  input: ListPendingApprovalsInput,
  output: ListApprovalsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to see which actions agents are waiting for permission to take.',
    next: 'answer_approval',
    avoid: 'Polling in a tight loop; a request stays open for an hour by default.',
  },
})
export class ListPendingApprovalsTool implements ToolHandler<ListPendingApprovalsInput, ListApprovalsOutput> {
  constructor(private readonly approvals: ApprovalsService) {}

  call(input: ListPendingApprovalsInput, { principal }: CallContext): Promise<ListApprovalsOutput> {
    return this.approvals.list(input, principal);
  }
}
