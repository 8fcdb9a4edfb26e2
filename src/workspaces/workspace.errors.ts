import { final, retryable } from '../platform/errors/error-row.js';

/** Worktrees, their files and branches, and what they exchange with remotes. */
export const workspaceErrors = {
  branch_unknown: final(
    400,
    'Repository {repo_name} has no branch {target_branch}.',
    'Pass an existing branch as target_branch, for example one of: {known}.',
    'Choose one that is there, for example {known}.',
  ),
  workspace_not_ready: retryable(
    409,
    'The worktree of the attempt is still being prepared.',
    'Retry in a few seconds; {next:get_attempt_status wait_ms=20000} waits for progress.',
    'Try again in a few seconds.',
  ),
  workspace_lost: final(
    409,
    'The worktree of the attempt no longer exists.',
    'Call {op:start_task_attempt} for a new attempt; the branch {workspace_branch} may still hold the work.',
    'Start a new attempt; the branch {workspace_branch} may still hold the work.',
  ),
  workspace_unavailable: retryable(
    503,
    'The runner that holds the worktree does not answer: {reason}.',
    'Retry in a few seconds. Once a runner has been silent for RUNNER_LOST_SECS, another one rebuilds the worktree ' +
      'from what was last saved; an event of type moved says so.',
    'Try again in a few seconds. If its runner stays silent, another one takes over.',
  ),
  file_not_found: final(
    404,
    'The attempt has no file {path}.',
    'Call {next:get_attempt_changes} for valid paths; they start with the repository name.',
    'It may have been renamed or deleted meanwhile.',
  ),
  diff_too_large: final(
    409,
    'The whole diff of {repo_name} is beyond {max_bytes} bytes.',
    'Fetch the branch of the attempt by git from the repository on the server, or after {op:push_attempt} from its ' +
      'remote; {next:get_attempt_patch} shows chosen paths.',
  ),
  agent_state_missing: final(
    404,
    'Nothing of what an agent keeps is there for the attempt.',
    'Only agents behind walls (ISOLATION=bubblewrap) keep something for each attempt. Read its log instead, by ' +
      '{next:tail_attempt_logs}.',
  ),
  agent_state_too_large: final(
    409,
    'What agents keep for the attempt is beyond {max_files} files or {max_bytes} bytes.',
    'Ask the operator for the folder agent-state/{attempt_id} in DATA_DIR of its runner.',
  ),
  operation_in_progress: final(
    409,
    'A {operation} is in progress in the worktree of {repo_name}.',
    'Call {next:get_attempt_delivery} for what is unresolved. Have the agent resolve it by {op:follow_up action=send ' +
      'resolve=true}; or do it by hand, then call {op:update_attempt_branch action=continue}, or with action=abort.',
    'Ask the agent to resolve it; or continue or abort the update by hand.',
  ),
  operation_foreign: final(
    409,
    'The {operation} in the worktree of {repo_name} was not begun by this server, or was changed since.',
    'Have the agent finish it with {op:follow_up}, or call {op:update_attempt_branch} with action=abort.',
    'Let the agent finish it, or abort the update.',
  ),
  no_operation: final(
    409,
    'No update of {repo_name} is in progress.',
    'Call {next:get_attempt_delivery} to see the state of the branch; action=start begins an update.',
    'It has been completed or aborted meanwhile.',
  ),
  conflicts_unresolved: final(
    409,
    'Conflicts are not resolved yet: {unresolved}.',
    'Have the agent resolve them by {next:follow_up action=send resolve=true}, which completes the update, too; or ' +
      'resolve them by hand, then continue; action=abort cancels the update.',
    'Ask the agent to resolve them, or do it by hand and continue; or abort the update.',
  ),
  branch_left: final(
    409,
    'The worktree of {repo_name} is no longer on the branch {workspace_branch}.',
    'Have the agent check out {workspace_branch} there with {op:follow_up}.',
    'Have the agent check out {workspace_branch} there.',
  ),
  branch_taken: final(
    409,
    'The name {branch} collides with a branch of repository {repo_name}.',
    'Choose another name, or rename that branch first.',
  ),
  uncommitted_changes: final(
    409,
    'The worktree of {repo_name} holds uncommitted changes.',
    'Have the agent commit them with {op:follow_up}; {op:merge_attempt} commits them by itself.',
    'Have the agent commit them first.',
  ),
  unrelated_histories: final(
    409,
    'The branch and {target_branch} of {repo_name} have no commit in common.',
    'Start a new attempt from {target_branch} with {op:start_task_attempt}.',
    'Start a new attempt from {target_branch}.',
  ),
  strategy_not_possible: final(
    422,
    'Strategy {strategy} is not possible for {repo_name}: {reason}.',
    'Call {next:update_attempt_branch action=start} first, or merge with another strategy.',
    'Update from the target first, or merge in another way.',
  ),
  no_remote: final(
    409,
    'Repository {repo_name} has neither a remote named origin nor exactly one remote.',
    'A person has to add one, in that repository on the server: git remote add origin URL. ' +
      '{op:merge_attempt} needs none.',
  ),
  foreign_head: final(
    409,
    'The remote {remote} of {repo_name} has a branch {branch} that was not pushed from here, at {remote_commit}.',
    'Read what is there; then pass overwrite with that remote_commit to replace it, or rename the branch.',
    'Read what is there; then replace it, or rename the branch.',
  ),
  push_rejected: final(
    409,
    'The branch {branch} on the remote {remote} of {repo_name} is at {remote_commit}, which a push would discard.',
    'Call {op:update_attempt_branch} with action=start and target_branch={remote}/{branch} to bring that in, ' +
      'or pass overwrite with that remote_commit to replace it.',
    'Replace what the remote has, or let the agent bring it in first.',
  ),
};
