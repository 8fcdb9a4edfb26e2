/** What one refusal means: its HTTP status, whether the same call may succeed later, its text and the next step.
 *  `{name}` is filled from the details of the error, `{op:name}` with the operation as the caller knows it. */
export interface ErrorRow {
  status: number;
  retryable: boolean;
  message: string;
  hint: string;
}

const row = (status: number, message: string, hint: string): ErrorRow => ({ status, retryable: false, message, hint });
const retry = (status: number, message: string, hint: string): ErrorRow => ({ status, retryable: true, message, hint });

export const errorCatalogue = {
  invalid_argument: row(
    400,
    'The arguments are not valid: {summary}.',
    'Correct the fields named in details.fields, then call again.',
  ),
  ambiguous_target: row(
    400,
    'More than one target was given: {given}.',
    'Give exactly one of {allowed}; attempt_id is enough, it means the latest session.',
  ),
  missing_target: row(
    400,
    'No target was given.',
    'Give exactly one of {allowed}; {op:list_task_attempts} answers attempt_id.',
  ),
  mixed_pagination: row(
    400,
    '{given} exclude each other.',
    'Use only one pagination mode: cursor pages older history, after_entry_index reads what is newer.',
  ),
  executor_unknown: row(
    400,
    'There is no executor {executor}.',
    'Call {op:list_executors} and pass one of its executor values: {known}.',
  ),
  variant_unknown: row(
    400,
    'Executor {executor} has no variant {variant}.',
    'Leave variant out, or pass one of: {known}. {op:list_executors} lists them.',
  ),
  branch_unknown: row(
    400,
    'Repository {repo_name} has no branch {target_branch}.',
    'Pass an existing branch as target_branch, for example one of: {known}.',
  ),
  repo_invalid: row(
    400,
    'The repository cannot be used: {reason}.',
    'Give the absolute path of a git repository with at least one commit on this server.',
  ),
  repo_not_in_project: row(
    400,
    'Repository {repo_id} is not part of the project of this task.',
    'Call {op:list_repos} with project_id {project_id} and use its repo_id values.',
  ),
  invalid_transition: row(
    400,
    "Invalid status transition from '{from}' to '{to}'. Valid transitions: [{allowed}]",
    'From {from} only these are allowed: [{allowed}]. {op:list_tasks} shows the status.',
  ),
  task_not_in_progress: row(
    400,
    'Can only update progress for in_progress tasks',
    'Start the task with {op:start_task} first; it is {status}.',
  ),
  assignee_not_member: row(
    400,
    'Worker {worker} is not a member of this project',
    'Add the worker with POST /api/projects/{project_id}/members, or assign a member.',
  ),
  schema_profile_unknown: row(
    400,
    'There is no schema profile {schema}.',
    'Use ?schema= with one of: {known}, or leave it out.',
  ),
  unauthenticated: row(
    401,
    'A valid bearer token is needed.',
    'Send the header "Authorization: Bearer <token>" with the token of this server.',
  ),
  origin_forbidden: row(
    403,
    'Requests from this origin are refused.',
    'Add the origin to ALLOWED_ORIGINS, or call without a browser.',
  ),
  host_forbidden: row(
    403,
    'This host name is refused.',
    'Call the server by a loopback name, or add the host to ALLOWED_HOSTS.',
  ),
  not_a_member: row(
    403,
    'Not a member of this project',
    'Ask an owner to add the worker with POST /api/projects/{project_id}/members; {op:list_projects} shows the projects it belongs to.',
  ),
  forbidden: row(
    403,
    'This is not allowed: {reason}.',
    'Ask somebody who may: an owner of the project, or a person where an agent is refused.',
  ),
  tool_unknown: row(
    404,
    'There is no tool {tool} here.',
    'Call one of {similar}; tools/list shows every tool with its arguments.',
  ),
  toolset_unknown: row(404, 'There is no toolset {toolset}.', 'Use one of: {known}.'),
  route_not_found: row(
    404,
    'There is nothing at {method} {path}.',
    'See /api/docs for the paths of this server; agents use POST /mcp.',
  ),
  method_not_allowed: row(
    405,
    '{method} is not served here.',
    'Use POST with one JSON-RPC message; this endpoint keeps no session and no stream.',
  ),
  project_not_found: row(
    404,
    'Project {project_id} was not found.',
    'Call {op:list_projects} and use one of its project_id values.',
  ),
  repo_not_found: row(
    404,
    'Repository {repo_id} was not found.',
    'Call {op:list_repos} and use one of its repo_id values.',
  ),
  task_not_found: row(
    404,
    'Task {task_id} was not found.',
    'Call {op:list_tasks} with a project_id and use one of its task_id values.',
  ),
  attempt_not_found: row(
    404,
    'Attempt {attempt_id} was not found.',
    'Call {op:list_task_attempts} with a task_id and use one of its attempt_id values.',
  ),
  session_not_found: row(
    404,
    'Session {session_id} was not found.',
    'Call {op:get_attempt_status} and use latest_session_id, or pass attempt_id instead.',
  ),
  execution_not_found: row(
    404,
    'Execution {execution_process_id} was not found.',
    'Call {op:get_attempt_status} and use latest_execution_process_id.',
  ),
  worker_not_found: row(
    404,
    'Worker {worker} was not found.',
    'GET /api/workers lists them; POST /api/workers adds one.',
  ),
  approval_not_found: row(
    404,
    'Approval {approval_id} was not found.',
    'Call {op:list_pending_approvals}; it lists what agents wait for.',
  ),
  file_not_found: row(
    404,
    'There is no file {path} in this attempt.',
    'Call {op:get_attempt_changes} for valid paths; they start with the repository name.',
  ),
  idempotency_key_not_found: row(
    404,
    'No request with the key {key} is known.',
    'The request never arrived, was refused, or was pruned: send it again with the same key.',
  ),
  no_session_yet: retry(
    409,
    'Attempt {attempt_id} has no session yet.',
    'Call {op:get_attempt_status} with attempt_id {attempt_id} until latest_session_id is non-null, then retry.',
  ),
  session_busy: retry(
    409,
    'A run of this attempt is live.',
    'Use {op:follow_up} with action=queue to run after it, {op:stop_attempt} to end it, or {op:get_attempt_status} with wait_ms to wait.',
  ),
  task_has_subtasks: row(409, 'Cannot delete task with subtasks', 'Delete its subtasks first: {subtasks}.'),
  already_claimed: row(
    409,
    'The task is already claimed by {assignee}.',
    'Work on another task, or take it over with {op:assign_task}; it is assigned to {assignee}.',
  ),
  task_tied: row(
    409,
    'Task {task_id} cannot leave its project: {reason}.',
    'Leave project_id out; make a new task in the other project instead.',
  ),
  already_member: row(409, 'The worker is already a member of this project.', 'Nothing is to be done.'),
  last_owner: row(409, 'The project would have no owner any more.', 'Make another member an owner first.'),
  handle_taken: row(409, 'The handle is taken.', 'Choose another handle; GET /api/workers lists them.'),
  user_taken: row(409, 'A worker with this user_id exists.', 'Use that worker; GET /api/workers lists them.'),
  approval_settled: row(
    409,
    'The request was answered before: {status}.',
    'Nothing is to be done; {op:list_pending_approvals} lists what still waits.',
  ),
  task_running: row(
    409,
    'Task {task_id} has a live run.',
    'Call {op:stop_attempt} with attempt_id {attempt_id} first, then call again.',
  ),
  repo_in_use: row(
    409,
    'Attempts were made from this repository.',
    'It stays in the project for their history; to work without it, name the other repositories with repos in {op:start_task_attempt}.',
  ),
  project_in_use: row(409, 'Project {project_id} has a live run.', 'Stop its attempts with {op:stop_attempt} first.'),
  slug_taken: row(409, 'The slug is taken.', 'Choose another slug, or leave slug out.'),
  repo_name_taken: row(
    409,
    'The project already has a repository of that name.',
    'Pass another name for the repository.',
  ),
  workspace_not_ready: retry(
    409,
    'The worktree of attempt {attempt_id} is still being made.',
    'Retry in a moment; {op:get_attempt_status} with wait_ms tells when the run goes on.',
  ),
  workspace_lost: row(
    409,
    'The worktree of attempt {attempt_id} is gone.',
    'Call {op:start_task_attempt} for a new attempt; the branch {workspace_branch} may still hold the work.',
  ),
  repo_locked: retry(
    409,
    'Another git process holds a lock in the repository.',
    'Wait until the other git command has ended, then retry.',
  ),
  idempotency_conflict: row(
    409,
    'This request_id was used for another request.',
    'Generate a new request_id for a new request; repeat the same arguments to get the first result.',
  ),
  idempotency_in_progress: retry(
    409,
    'The first request with this request_id is still in progress.',
    'Retry with the same request_id and the same arguments in a few seconds.',
  ),
  not_acceptable: row(
    406,
    'The answer is JSON, which the Accept header refuses.',
    'Send Accept: application/json, text/event-stream.',
  ),
  payload_too_large: row(
    413,
    'The request body is too large.',
    'Send less than {limit_bytes} bytes; put large texts into the repository instead.',
  ),
  malformed_body: row(
    400,
    'The request body is not valid JSON.',
    'Send one JSON object with the content type application/json.',
  ),
  unsupported_media_type: row(415, 'The content type is not supported.', 'Send the body as application/json.'),
  writeback_required: row(
    422,
    'Writeback required for task {task_id}: missing thought_record',
    'Call {op:write_thought} with task_id {task_id} first, then set status DONE again.',
  ),
  rate_limited: retry(429, 'Too many requests.', 'Wait {retry_after_secs} seconds, then retry.'),
  git_failed: row(502, 'git failed: {reason}.', 'Read details.reason; check the repository on the server, then retry.'),
  executor_unavailable: row(
    503,
    'Executor {executor} cannot be used here: {reason}.',
    'Call {op:list_executors} and choose one with is_available true.',
  ),
  api_unavailable: retry(
    503,
    'The Taskyard API cannot be used: {reason}.',
    'Retry in a few seconds, a write with its request_id again. If it stays, check that the server runs and that TASKFLOW_API_URL names it.',
  ),
  database_unavailable: retry(
    503,
    'The database does not answer.',
    'Retry in a few seconds, with the same request_id where there is one, so that nothing happens twice.',
  ),
  shutting_down: retry(503, 'The server is shutting down.', 'Retry in a few seconds, when it has been restarted.'),
  storage_full: retry(507, 'The disk of the server is full.', 'Free space under DATA_DIR, then retry.'),
  internal_error: retry(
    500,
    'Something went wrong in the server.',
    'Retry once; if it stays, report request id {request_id}.',
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;
