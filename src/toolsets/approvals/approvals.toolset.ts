import {
  ListPendingApprovalsInput,
  ListApprovalsOutput,
  AnswerApprovalInput,
  ApprovalOutput,
} from '../../approvals/approval.dto.js';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { type CallContext, Tool, type ToolHandler, type Toolset } from '../../mcp/tool.js';
import { AnswerApprovalService } from '../../work/answer-approval.service.js';
import { restNames } from '../../platform/errors/operations.js';

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
class ListPendingApprovalsTool implements ToolHandler<ListPendingApprovalsInput, ListApprovalsOutput> {
  constructor(private readonly approvals: ApprovalsService) {}

  call(input: ListPendingApprovalsInput, { principal }: CallContext): Promise<ListApprovalsOutput> {
    return this.approvals.list(input, principal);
  }
}

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
class AnswerApprovalTool implements ToolHandler<AnswerApprovalInput, ApprovalOutput> {
  constructor(private readonly answers: AnswerApprovalService) {}

  call(input: AnswerApprovalInput, { principal }: CallContext): Promise<ApprovalOutput> {
    return this.answers.answer(input, principal);
  }
}

/** Answers to agents that ask. A separate endpoint, so that an agent cannot find the tool that approves its own
 *  request. */
export const approvalsToolset: Toolset = {
  id: 'approvals',
  path: '/mcp/approvals',
  title: 'Taskyard, approvals',
  introduction:
    'Agents that run with an APPROVALS variant ask before they act. Deliveries may need the approval of a ' +
    'person, too. Read what they want to do, then answer. A request that nobody answers in time is denied; a ' +
    'delivery waits until the branch moves, and is performed once a person approves it.',
  loop: ['list_pending_approvals', 'answer_approval'],
  tools: [ListPendingApprovalsTool, AnswerApprovalTool],
  operationNames: (operation) => (operation === 'list_pending_approvals' ? operation : restNames(operation)),
};
