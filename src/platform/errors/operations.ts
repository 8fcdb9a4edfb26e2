/** Operations that hints and guides name, with their REST path. Each toolset maps them to its own tools. */
export const operations = {
  list_projects: 'GET /api/projects',
  list_repos: 'GET /api/projects/{project_id}/repos',
  list_executors: 'GET /api/executors',
  list_tasks: 'GET /api/projects/{project_id}/tasks',
  get_task: 'GET /api/tasks/{task_id}',
  list_task_attempts: 'GET /api/tasks/{task_id}/attempts',
  start_task_attempt: 'POST /api/tasks/{task_id}/attempts',
  get_attempt_status: 'GET /api/attempts/{attempt_id}',
  tail_attempt_logs: 'GET /api/attempts/{attempt_id}/logs',
  get_attempt_changes: 'GET /api/attempts/{attempt_id}/changes',
  get_attempt_patch: 'POST /api/attempts/{attempt_id}/patch',
  get_attempt_file: 'GET /api/attempts/{attempt_id}/file',
  follow_up: 'POST /api/attempts/{attempt_id}/follow-up',
  stop_attempt: 'POST /api/attempts/{attempt_id}/stop',
  get_attempt_delivery: 'GET /api/attempts/{attempt_id}/delivery',
  update_attempt_branch: 'POST /api/attempts/{attempt_id}/branch/update',
  merge_attempt: 'POST /api/attempts/{attempt_id}/merge',
  push_attempt: 'POST /api/attempts/{attempt_id}/push',
  open_pull_request: 'POST /api/attempts/{attempt_id}/pull-request',
  get_pull_request: 'GET /api/attempts/{attempt_id}/pull-request',
  merge_pull_request: 'POST /api/attempts/{attempt_id}/pull-request/merge',
  list_pending_approvals: 'GET /api/approvals',
  start_task: 'PATCH /api/tasks/{task_id}/status',
  request_review: 'PATCH /api/tasks/{task_id}/status',
  complete_task: 'PATCH /api/tasks/{task_id}/status',
  assign_task: 'PATCH /api/tasks/{task_id}/assign',
  write_thought: 'POST /api/tasks/{task_id}/thought-records',
} as const;

export type Operation = keyof typeof operations;

/** What the body of an operation says that shares its path. */
export const operationBodies: Partial<Record<Operation, Record<string, unknown>>> = {
  start_task: { status: 'in_progress' },
  request_review: { status: 'review' },
  complete_task: { status: 'completed' },
};

/** How a surface calls an operation: a tool name, or a REST path. */
export type OperationNames = (operation: Operation) => string;
export const restNames: OperationNames = (operation) => operations[operation];

/** Where each argument comes from that cannot be made up, so that a wrong one says what answers a right one. */
export const idSources: Readonly<Record<string, Operation>> = {
  project_id: 'list_projects',
  repo_id: 'list_repos',
  task_id: 'list_tasks',
  id: 'list_tasks',
  attempt_id: 'list_task_attempts',
  session_id: 'get_attempt_status',
  attempt_ids: 'list_task_attempts',
  executor: 'list_executors',
  path: 'get_attempt_changes',
  paths: 'get_attempt_changes',
};

/** What an answer calls it, where that is not the name of the argument. */
export const answeredAs: Readonly<Record<string, string>> = {
  session_id: 'latest_session_id',
  attempt_ids: 'attempt_id',
  path: 'files',
  paths: 'files',
};
