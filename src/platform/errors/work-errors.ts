import { final, retryable } from './error-row.js';

/** Executors, attempts with their worktrees and files, sessions, executions and approvals. */
export const workErrors = {
  executor_unknown: final(
    400,
    'Executor {executor} does not exist.',
    'Call {op:list_executors} and pass one of its executor values: {known}.',
  ),
  executor_unavailable: final(
    503,
    'Executor {executor} is not available here: {reason}.',
    'Call {op:list_executors} and choose an executor with is_available true.',
  ),
  variant_unknown: final(
    400,
    'Executor {executor} has no variant {variant}.',
    'Leave variant out, or pass one of: {known}. {op:list_executors} lists them.',
  ),
  branch_unknown: final(
    400,
    'Repository {repo_name} has no branch {target_branch}.',
    'Pass an existing branch as target_branch, for example one of: {known}.',
  ),

  attempt_not_found: final(
    404,
    'Attempt {attempt_id} was not found.',
    'Call {op:list_task_attempts} with a task_id and use one of its attempt_id values.',
  ),
  session_not_found: final(
    404,
    'Session {session_id} was not found.',
    'Call {op:get_attempt_status} and use latest_session_id, or pass attempt_id instead.',
  ),
  no_session_yet: retryable(
    409,
    'Attempt {attempt_id} has no session yet.',
    'Call {op:get_attempt_status} with attempt_id {attempt_id} until latest_session_id is non-null, then retry.',
  ),
  session_busy: retryable(
    409,
    'The attempt already has a live run.',
    'Use {op:follow_up} with action=queue to run after it, {op:stop_attempt} to end it, ' +
      'or {op:get_attempt_status} with wait_ms to wait for it.',
  ),
  too_many_runs: retryable(
    429,
    'Too many turns are waiting or running: {live}, the limit {limit}.',
    'Wait until some of them have ended ({op:get_attempt_status} with wait_ms waits), or stop one; then retry.',
  ),
  too_much_stored: final(
    429,
    'Too much is stored: {stored} bytes, the limit {limit} is {most}.',
    'Delete tasks that nobody needs any more: their logs and saved work go, and the room is free within minutes. ' +
      'Or ask whoever operates the server to raise the limit.',
  ),
  execution_not_found: final(
    404,
    'Execution {execution_process_id} was not found.',
    'Call {op:get_attempt_status} and use latest_execution_process_id.',
  ),
  approval_not_found: final(
    404,
    'Approval {approval_id} was not found.',
    'Call {op:list_pending_approvals} and use one of its approval_id values.',
  ),
  approval_required: final(
    403,
    'A person has to say yes to this delivery first; it waits as approval {approval_id}.',
    'End your turn: once a person approves it, the server performs it, unless the branch has moved by then. ' +
      '{op:get_attempt_delivery} with wait_ms shows when it is done.',
  ),
  approval_settled: final(
    409,
    'The approval request is already closed: {status}.',
    'No action needed; {op:list_pending_approvals} lists the requests that are still open.',
  ),

  workspace_not_ready: retryable(
    409,
    'The worktree of attempt {attempt_id} is still being prepared.',
    'Retry in a few seconds; {op:get_attempt_status} with wait_ms waits for progress.',
  ),
  workspace_lost: final(
    409,
    'The worktree of attempt {attempt_id} no longer exists.',
    'Call {op:start_task_attempt} for a new attempt; the branch {workspace_branch} may still hold the work.',
  ),
  workspace_unavailable: retryable(
    503,
    'The runner that holds the worktree does not answer: {reason}.',
    'Retry in a few seconds. Once a runner has been silent for RUNNER_LOST_SECS, another one rebuilds the worktree ' +
      'from what was last saved; an event of type moved says so.',
  ),
  file_not_found: final(
    404,
    'The attempt has no file {path}.',
    'Call {op:get_attempt_changes} for valid paths; they start with the repository name.',
  ),
  repo_locked: retryable(
    409,
    'Another git process holds a lock on the repository.',
    'Wait until the other git command has finished, then retry.',
  ),
  git_failed: final(
    502,
    'git failed: {reason}.',
    'Read details.reason; check the repository on the server, then retry.',
  ),
};
