import type { Toolset } from '../../mcp/tool.js';
import { restNames } from '../../platform/errors/operations.js';
import { AnswerApprovalTool } from './tools/answer-approval.tool.js';
import { ListPendingApprovalsTool } from './tools/list-pending-approvals.tool.js';

/** Answers to agents that ask. An endpoint of its own: an agent must not find the tool that approves its own
 *  request. */
export const approvalsToolset: Toolset = {
  id: 'approvals',
  path: '/mcp/approvals',
  title: 'Taskyard, approvals',
  introduction:
    'Agents that run with an APPROVALS variant ask before they act, and agents ask for deliveries that need the yes ' +
    'of a person. Read what they want to do, then answer. A request that nobody answers in time is denied; a ' +
    'delivery waits until the branch moves, and is performed once a person approves it.',
  loop: ['list_pending_approvals', 'answer_approval'],
  tools: [ListPendingApprovalsTool, AnswerApprovalTool],
  operationNames: (operation) => (operation === 'list_pending_approvals' ? operation : restNames(operation)),
};
