import { AppError, type ErrorDetails } from './app-error.js';
import { errorCatalogue, type ErrorCode } from './error-catalogue.js';

const id = (number: number) => `0198c0de-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Sample facts by the name of their placeholder. */
const facts: ErrorDetails = {
  project_id: id(1),
  repo_id: id(2),
  task_id: id(3),
  attempt_id: id(4),
  session_id: id(5),
  execution_process_id: id(6),
  subtasks: [id(7)],
  request_id: id(8),
  approval_id: id(9),
  token_id: id(10),
  summary: 'title is required',
  given: ['attempt_id', 'session_id'],
  allowed: ['attempt_id', 'session_id'],
  known: ['SHELL'],
  key: 'create-task-7f3a',
  executor: 'GEMINI',
  variant: 'PLAN',
  repo_name: 'web-shop',
  target_branch: 'dev',
  workspace_branch: 'ty/1f0c9d2e-add-a-health-check',
  path: 'web-shop/none.txt',
  reason: 'it is not installed',
  name: 'GIT_DIR',
  names: ['NPM_TOKEN'],
  network: 'listed',
  from: 'pending',
  to: 'review',
  status: 'pending',
  worker: 'ada',
  assignee: 'ada',
  tool: 'get_tasks',
  similar: ['get_task'],
  toolset: 'board',
  schema: 'strict',
  method: 'GET',
  limit_bytes: 4_194_304,
  max_files: 5_000,
  max_bytes: 67_108_864,
  retry_after_secs: 12,
  worktree: '/home/ada/web-shop',
  operation: 'merge',
  branch: 'feature/health-check',
  remote: 'origin',
  remote_commit: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  commit: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  head: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  strategy: 'ff',
  unresolved: ['web-shop/src/a.ts'],
  limit: 'MAX_STREAMS_PER_PRINCIPAL',
  open: 500,
  live: 100,
  stored: 107_374_180_000,
  most: 107_374_182_400,
  scope: 'write',
  host: 'github.com',
  number: 7,
  url: 'https://github.com/ada/web-shop/pull/7',
  comment_id: id(11),
};

/** Facts for codes that the common ones do not suit. */
const ownFacts: Partial<Record<ErrorCode, ErrorDetails>> = {
  invalid_argument: { fields: [{ field: 'title', message: 'title is required' }] },
  mixed_pagination: { given: ['cursor', 'after_entry_index'] },
  branch_unknown: { known: ['main'] },
  schema_profile_unknown: { known: ['portable', 'oneof', 'flat'] },
  toolset_unknown: { known: ['kanban', 'taskflow', 'colibri'] },
  invalid_transition: { allowed: ['in_progress', 'blocked', 'completed'] },
  repo_invalid: { reason: 'the folder does not exist' },
  git_failed: { reason: 'bad object HEAD' },
  forbidden: { reason: 'only an owner may do this' },
  task_tied: { reason: 'it has attempts' },
  target_checkout_dirty: { reason: 'working directory has unstaged changes' },
  strategy_not_possible: { reason: 'main has commits that the branch lacks' },
  partly_delivered: { reason: 'its target moved' },
  remote_auth_failed: { reason: 'could not read Username' },
  remote_not_found: { reason: 'repository not found' },
  remote_unreachable: { reason: 'it did not answer in time' },
  remote_refused: { message: 'pre-receive hook declined' },
  forge_failed: { host: 'github.com', reason: 'it did not answer within 120 s' },
  forge_auth_failed: { host: 'github.com', reason: 'Bad credentials' },
  pull_request_not_found: { reason: 'none was opened for this attempt' },
  pull_request_not_mergeable: { reason: 'its checks are failing' },
  pull_request_foreign: { reason: 'its head is a commit that this attempt does not hold' },
  api_unavailable: { reason: 'it is unreachable' },
  route_not_found: { path: '/api/nothing' },
};

/** The error as a caller might see it, with the facts that its texts name. */
export function errorExample(code: ErrorCode): AppError {
  const { message, hint } = errorCatalogue[code];
  const named = [...`${message} ${hint}`.matchAll(/\{(\w+)\}/g)].map(([, name = '']): [string, unknown] => [
    name,
    facts[name],
  ]);
  return new AppError(code, { ...Object.fromEntries(named), ...ownFacts[code] });
}
