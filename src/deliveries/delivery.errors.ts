import { final, retryable } from '../platform/errors/error-row.js';

/** Merging an attempt, pushing it, and undoing its merge. */
export const deliveryErrors = {
  target_moved: retryable(
    409,
    'The branch {target_branch} of {repo_name} has moved in the meantime.',
    'Call {next:get_attempt_delivery} to see what is new there, then merge again.',
    'Look at what is new there, then merge again.',
  ),
  merge_conflict: final(
    409,
    'The work conflicts with {target_branch} of {repo_name}.',
    'Call {next:update_attempt_branch action=start resolve={}}, which has the agent resolve it, wait for its run, ' +
      'then merge again.',
    'Update from the target, and ask the agent to resolve the conflicts.',
  ),
  target_checked_out: final(
    409,
    'The target branch {target_branch} is checked out in {worktree}.',
    '{next:get_attempt_delivery} shows whether that checkout is clean: then checked_out=update updates it, too. ' +
      'Or check out another branch there.',
    'Let the merge update that checkout, too, or check out another branch there.',
  ),
  target_checkout_dirty: final(
    409,
    'The checkout of {target_branch} in {worktree} cannot be updated: {reason}.',
    'Commit or stash the work in {worktree} first, then merge again.',
  ),
  nothing_to_undo: final(
    409,
    'The attempt has no merge that can be undone.',
    'Call {next:get_attempt_delivery} to see the state of its work.',
    'Somebody may have undone it already.',
  ),
  head_moved: final(
    409,
    'The branch of {repo_name} is at {head}, not at the expected commit.',
    'Call {next:get_attempt_changes} to review what is new, then pass the current head as expected_head.',
    'Look at what is new, then try again.',
  ),
  content_moved: final(
    409,
    'The work in {repo_name} is not what was expected; its content is {content_hash} now.',
    'Call {next:get_attempt_changes} to review what is new, then pass the current content_hash as expected_content.',
    'Look at what is new, then try again.',
  ),
  attempt_failed: final(
    409,
    'The last run of the attempt failed or was stopped: {reason}.',
    'Call {next:tail_attempt_logs} and {op:get_attempt_changes} to see how far it came, then have it finished with ' +
      '{op:follow_up}; or repeat the call with allow_failed=true to deliver the work as it is.',
    'Read its log to see how far it came, and let the agent go on; or deliver the work as it is.',
  ),
  partly_delivered: retryable(
    409,
    'Some repositories were delivered, {repo_name} was not: {reason}.',
    'Read details.repos or {next:get_attempt_delivery}, remove the cause, then call again: what has landed stays.',
    'Remove the cause, then merge again: what has landed stays.',
  ),
};
