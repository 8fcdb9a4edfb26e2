import { final, retryable } from '../platform/errors/error-row.js';

/** Merging an attempt, pushing it, and undoing its merge. */
export const deliveryErrors = {
  target_moved: retryable(
    409,
    'The branch {target_branch} of {repo_name} has moved in the meantime.',
    'Call {op:get_attempt_delivery} to see what is new there, then merge again.',
  ),
  merge_conflict: final(
    409,
    'The work conflicts with {target_branch} of {repo_name}.',
    'Call {op:update_attempt_branch} with action=start, have the agent resolve it with {op:follow_up} action=send ' +
      'and resolve=true, then call {op:update_attempt_branch} with action=continue and merge again.',
  ),
  target_checked_out: final(
    409,
    'The target branch {target_branch} is checked out in {worktree}.',
    'Pass checked_out=update to update that checkout too, if it is clean, or check out another branch there.',
  ),
  target_checkout_dirty: final(
    409,
    'The checkout of {target_branch} in {worktree} cannot be updated: {reason}.',
    'Commit or stash the work in {worktree} first, then merge again.',
  ),
  nothing_to_undo: final(
    409,
    'Attempt {attempt_id} has no merge that can be undone.',
    'Call {op:get_attempt_delivery} to see the state of its work.',
  ),
  head_moved: final(
    409,
    'The branch of {repo_name} is at {head}, not at the expected commit.',
    'Call {op:get_attempt_changes} to review what is new, then pass the current head as expected_head.',
  ),
  partly_delivered: retryable(
    409,
    'Some repositories were delivered, {repo_name} was not: {reason}.',
    'Read details.repos, remove the cause, then repeat the call: what has landed stays as it is.',
  ),
};
