import type { AppError } from '../../platform/errors/app-error.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import type { ErrorCode } from '../../platform/errors/error-catalogue.js';
import type { OperationNames } from '../../platform/errors/operations.js';
import { isRecord } from '../../platform/fields/normalise.js';
import { colibriCodes, type DataCode } from './colibri-codes.js';

interface Call {
  tool: string;
  arguments: unknown;
}
type Shape = { isError: boolean; structured: Record<string, unknown> };

const dataShapes: Record<DataCode, (id: string, call: Call) => Record<string, unknown>> = {
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

/** The double envelope of the dialect; `retryable` and `hint` are added to what its clients know. */
export function renderColibriError(error: AppError, call: Call, names: OperationNames): Shape {
  const { message, retryable, hint, details } = toEnvelope(error, names);
  if (isDataCode(error.code)) {
    const refusal = { ...dataShapes[error.code](idOf(call.arguments), call), retryable, hint };
    return { isError: false, structured: { ok: true, data: { ok: false, error: refusal } } };
  }
  const code = colibriCodes[error.code];
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

const isDataCode = (code: ErrorCode): code is DataCode => colibriCodes[code] === 'data';

function idOf(args: unknown): string {
  const id = isRecord(args) ? (args.id ?? args.task_id) : undefined;
  return typeof id === 'string' ? id : '';
}
