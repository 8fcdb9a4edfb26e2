import { final, retryable } from './error-row.js';

/** Bringing the work of an attempt up to date, to its target branch and to remotes. */
export const deliveryErrors = {
  target_moved: retryable(
    409,
    'Somebody moved {target_branch} of {repo_name} meanwhile.',
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
    'Pass checked_out=update to bring that checkout along, which works while it is clean, or check another branch ' +
      'out there.',
  ),
  target_checkout_dirty: final(
    409,
    'The checkout of {target_branch} in {worktree} cannot be brought along: {reason}.',
    'Commit or stash the work in {worktree} first, then merge again.',
  ),
  nothing_to_undo: final(
    409,
    'No merge of attempt {attempt_id} stands that could be undone.',
    'Call {op:get_attempt_delivery} to see where its work stands.',
  ),
  operation_in_progress: final(
    409,
    'The worktree of {repo_name} is in the midst of a {operation}.',
    'Call {op:update_attempt_branch} with action=continue once everything is resolved, or with action=abort.',
  ),
  no_operation: final(
    409,
    'No update of {repo_name} is in progress.',
    'Call {op:get_attempt_delivery} to see where the branch stands; action=start begins an update.',
  ),
  conflicts_unresolved: final(
    409,
    'Conflicts are not resolved yet: {unresolved}.',
    'Have the agent resolve them with {op:follow_up} action=send and resolve=true, then continue; action=abort gives ' +
      'the update up.',
  ),
  branch_left: final(
    409,
    'The worktree of {repo_name} is no longer on the branch {workspace_branch}.',
    'Have the agent check out {workspace_branch} there with {op:follow_up}.',
  ),
  branch_taken: final(
    409,
    'Repository {repo_name} has a branch that stands in the way of the name {branch}.',
    'Choose another name, or rename that branch first.',
  ),
  uncommitted_changes: final(
    409,
    'The worktree of {repo_name} holds uncommitted changes.',
    'Have the agent commit them with {op:follow_up}; {op:merge_attempt} commits them by itself.',
  ),
  unrelated_histories: final(
    409,
    'The branch and {target_branch} of {repo_name} have no commit in common.',
    'Start a new attempt from {target_branch} with {op:start_task_attempt}.',
  ),
  strategy_not_possible: final(
    422,
    'Strategy {strategy} is not possible for {repo_name}: {reason}.',
    'Call {op:update_attempt_branch} with action=start first, or merge with another strategy.',
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
  no_remote: final(
    409,
    'Repository {repo_name} has no remote named origin, and not exactly one other.',
    'Add a remote with git there first; {op:merge_attempt} merges into a local branch without one.',
  ),
  foreign_head: final(
    409,
    'The remote {remote} of {repo_name} has a branch {branch} that was not pushed from here, at {remote_commit}.',
    'Read what is there; then pass overwrite with that remote_commit to replace it, or rename the branch.',
  ),
  push_rejected: final(
    409,
    'The branch {branch} on the remote {remote} of {repo_name} is at {remote_commit}, which a push would lose.',
    'Call {op:update_attempt_branch} with action=start and target_branch={remote}/{branch} to take that in, or pass ' +
      'overwrite with that remote_commit to replace it.',
  ),
  remote_refused: final(
    409,
    'The remote {remote} of {repo_name} refused the push: {message}.',
    'Do what the message of the remote asks for, then push again.',
  ),
  remote_auth_failed: final(
    502,
    'The remote {remote} of {repo_name} does not accept the credentials of this server: {reason}.',
    'Have the operator configure a token for its host in FORGES_FILE, or a credential helper or key for git.',
  ),
  remote_not_found: final(
    502,
    'The remote {remote} of {repo_name} has no such repository, or does not show it: {reason}.',
    'Correct the URL of the remote, or have the operator give this server access to it.',
  ),
  remote_unreachable: retryable(
    502,
    'The remote {remote} of {repo_name} cannot be reached: {reason}.',
    'Repeat the call later; if it stays so, have the operator look at the network and at the remote.',
  ),
};
