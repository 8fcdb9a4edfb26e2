import type { AppError } from '../../platform/errors/app-error.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import type { OperationNames } from '../../platform/errors/operations.js';
import type { ErrorCode } from '../../platform/errors/error-catalogue.js';
import { isRecord } from '../../platform/fields/normalise.js';

/** Messages that clients of this dialect match on. */
const messages: Partial<Record<ErrorCode, string>> = {
  task_not_found: 'Task not found',
  project_not_found: 'Project not found',
};

/** The dialect's refusal: the common envelope plus `error`, `status_code` and the task that was meant. */
export function renderTaskflowError(error: AppError, args: unknown, names: OperationNames): Record<string, unknown> {
  const envelope = toEnvelope(error, names);
  const task_id = isRecord(args) && typeof args.task_id === 'string' ? args.task_id : null;
  return {
    error: true,
    ...envelope,
    message: messages[error.code] ?? envelope.message,
    status_code: error.row.status,
    task_id,
  };
}
