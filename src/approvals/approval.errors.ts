import { final } from '../platform/errors/error-row.js';

/** What a person has to decide, or has decided. */
export const approvalErrors = {
  approval_not_found: final(
    404,
    'The approval was not found.',
    'Call {next:list_pending_approvals} and use one of its approval_id values.',
    'It has been answered already, or its run is over.',
  ),
  approval_required: final(
    403,
    'A person has to approve this delivery first.',
    'End your turn: once a person approves it, the server performs it, unless the branch has moved by then. ' +
      '{next:get_attempt_delivery wait_ms=20000} shows when it is done.',
  ),
  rule_not_found: final(
    404,
    'The rule was not found.',
    "List the project's approval rules: they are what its agents need not ask for.",
    'It has been taken back already.',
  ),
  approval_settled: final(
    409,
    'The approval request is already closed: {status}.',
    'No action needed; {next:list_pending_approvals} lists the requests that are still open.',
    'Somebody has answered it, or its run is over: nothing is left to do.',
  ),
};
