import type { AppError } from '../../platform/errors/app-error.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import type { OperationNames } from '../../platform/errors/operations.js';
import type { ErrorCode } from '../../platform/errors/error-catalogue.js';
import { isRecord } from '../../platform/fields/normalise.js';

interface Call {
  tool: string;
  arguments: unknown;
}
type Shape = { isError: boolean; structured: Record<string, unknown> };

type Inner = (id: string, call: Call) => Record<string, unknown>;

/** Refusals of the operation are data; everything else fails the call. */
const inner = {
  task_not_found: (id, { tool }) => ({
    code: 'ERR_NOT_FOUND',
    message: `Task not found: ${id}${tool === 'task_update' ? ' (operation: update)' : ''}`,
    taskId: id,
  }),
  writeback_required: (id) => ({
    code: 'ERR_WRITEBACK_REQUIRED',
    message: `Writeback required for task ${id}: missing thought_record`,
    missing_fields: ['thought_record'],
    taskId: id,
  }),
} satisfies Partial<Record<ErrorCode, Inner>>;

type InnerCode = keyof typeof inner;
const isInner = (code: ErrorCode): code is InnerCode => code in inner;

/** Every other code of the catalogue: a new one does not compile until it is said here how this dialect words it. */
const outer: Record<Exclude<ErrorCode, InnerCode>, 'INVALID_PARAMS' | 'HANDLER_ERROR'> = {
  invalid_argument: 'INVALID_PARAMS',
  ambiguous_target: 'INVALID_PARAMS',
  missing_target: 'INVALID_PARAMS',
  mixed_pagination: 'INVALID_PARAMS',
  executor_unknown: 'HANDLER_ERROR',
  variant_unknown: 'HANDLER_ERROR',
  branch_unknown: 'HANDLER_ERROR',
  repo_invalid: 'HANDLER_ERROR',
  repo_not_in_project: 'HANDLER_ERROR',
  invalid_transition: 'HANDLER_ERROR',
  task_not_in_progress: 'HANDLER_ERROR',
  assignee_not_member: 'HANDLER_ERROR',
  schema_profile_unknown: 'HANDLER_ERROR',
  unauthenticated: 'HANDLER_ERROR',
  origin_forbidden: 'HANDLER_ERROR',
  host_forbidden: 'HANDLER_ERROR',
  not_a_member: 'HANDLER_ERROR',
  forbidden: 'HANDLER_ERROR',
  tool_unknown: 'HANDLER_ERROR',
  toolset_unknown: 'HANDLER_ERROR',
  route_not_found: 'HANDLER_ERROR',
  method_not_allowed: 'HANDLER_ERROR',
  project_not_found: 'HANDLER_ERROR',
  repo_not_found: 'HANDLER_ERROR',
  attempt_not_found: 'HANDLER_ERROR',
  session_not_found: 'HANDLER_ERROR',
  execution_not_found: 'HANDLER_ERROR',
  worker_not_found: 'HANDLER_ERROR',
  approval_not_found: 'HANDLER_ERROR',
  file_not_found: 'HANDLER_ERROR',
  idempotency_key_not_found: 'HANDLER_ERROR',
  no_session_yet: 'HANDLER_ERROR',
  session_busy: 'HANDLER_ERROR',
  task_has_subtasks: 'HANDLER_ERROR',
  already_claimed: 'HANDLER_ERROR',
  task_tied: 'HANDLER_ERROR',
  already_member: 'HANDLER_ERROR',
  last_owner: 'HANDLER_ERROR',
  handle_taken: 'HANDLER_ERROR',
  user_taken: 'HANDLER_ERROR',
  approval_settled: 'HANDLER_ERROR',
  task_running: 'HANDLER_ERROR',
  repo_in_use: 'HANDLER_ERROR',
  project_in_use: 'HANDLER_ERROR',
  slug_taken: 'HANDLER_ERROR',
  repo_name_taken: 'HANDLER_ERROR',
  workspace_not_ready: 'HANDLER_ERROR',
  workspace_lost: 'HANDLER_ERROR',
  repo_locked: 'HANDLER_ERROR',
  idempotency_conflict: 'HANDLER_ERROR',
  idempotency_in_progress: 'HANDLER_ERROR',
  not_acceptable: 'HANDLER_ERROR',
  payload_too_large: 'HANDLER_ERROR',
  malformed_body: 'HANDLER_ERROR',
  unsupported_media_type: 'HANDLER_ERROR',
  rate_limited: 'HANDLER_ERROR',
  git_failed: 'HANDLER_ERROR',
  executor_unavailable: 'HANDLER_ERROR',
  api_unavailable: 'HANDLER_ERROR',
  database_unavailable: 'HANDLER_ERROR',
  shutting_down: 'HANDLER_ERROR',
  storage_full: 'HANDLER_ERROR',
  internal_error: 'HANDLER_ERROR',
};

/** The double envelope of the dialect; `retryable` and `hint` are added to what its clients know. */
export function renderColibriError(error: AppError, call: Call, names: OperationNames): Shape {
  const { message, retryable, hint, details } = toEnvelope(error, names);
  if (isInner(error.code)) {
    const refusal = inner[error.code](idOf(call.arguments), call);
    return { isError: false, structured: { ok: true, data: { ok: false, error: { ...refusal, retryable, hint } } } };
  }
  const code = outer[error.code];
  return {
    isError: true,
    structured: {
      ok: false,
      error: {
        code,
        message,
        ...(code === 'INVALID_PARAMS' ? { details: { issues: details.fields ?? [] } } : {}),
        retryable,
        hint,
      },
    },
  };
}

function idOf(args: unknown): string {
  const id = isRecord(args) ? (args.id ?? args.task_id) : undefined;
  return typeof id === 'string' ? id : '';
}
