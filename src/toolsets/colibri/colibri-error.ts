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

/** Refusals of the operation are data; everything else fails the call. */
const inner: Partial<Record<ErrorCode, (id: string, call: Call) => Record<string, unknown>>> = {
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
};

const outerCodes: Partial<Record<ErrorCode, string>> = {
  invalid_argument: 'INVALID_PARAMS',
  missing_target: 'INVALID_PARAMS',
  ambiguous_target: 'INVALID_PARAMS',
  mixed_pagination: 'INVALID_PARAMS',
};

/** The double envelope of the dialect; `retryable` and `hint` are added to what its clients know. */
export function renderColibriError(error: AppError, call: Call, names: OperationNames): Shape {
  const { message, retryable, hint, details } = toEnvelope(error, names);
  const refusal = inner[error.code]?.(idOf(call.arguments), call);
  if (refusal)
    return { isError: false, structured: { ok: true, data: { ok: false, error: { ...refusal, retryable, hint } } } };
  const code = outerCodes[error.code] ?? 'HANDLER_ERROR';
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
