import { BoolField, RecordField, TextField } from '../fields/fields.js';
import type { AppError } from './app-error.js';
import { renderHint } from './hint.js';
import type { OperationNames } from './operations.js';

/** The one shape of a refusal, over REST and in the kanban dialect. */
export class ErrorEnvelope {
  @TextField('Stable code of the error, snake_case.', { example: 'task_not_found' }) code!: string;
  @TextField('What went wrong, for a person to read.', {
    example: 'Task 0198c0de-0000-7000-8000-000000000003 was not found.',
  })
  message!: string;
  @BoolField('True if the same call may succeed later.', { example: false }) retryable!: boolean;
  @TextField('What to do next.', {
    example: 'Call GET /api/projects/{project_id}/tasks and use one of its task_id values.',
  })
  hint!: string;
  @RecordField('Facts about the error.', {
    example: { task_id: '0198c0de-0000-7000-8000-000000000003' },
  })
  details!: Record<string, unknown>;
}

/** @param http_request_id finds the request in the log */
export function toEnvelope(error: AppError, names: OperationNames, http_request_id?: string): ErrorEnvelope {
  return {
    code: error.code,
    message: error.message,
    retryable: error.row.retryable,
    hint: renderHint(error.hintTemplate, error.details, names),
    details: http_request_id === undefined ? error.details : { ...error.details, http_request_id },
  };
}
