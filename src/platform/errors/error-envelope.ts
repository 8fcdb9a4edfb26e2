import { BoolField, RecordField, TextField } from '../fields/fields.js';
import { type AppError, fill } from './app-error.js';
import { operations, type Operation } from './operations.js';

/** The one shape of a refusal, over REST and in the kanban dialect. */
export class ErrorEnvelope {
  @TextField('Stable code of the error, snake_case.', { example: 'task_not_found' }) code!: string;
  @TextField('What went wrong, for people.', { example: 'Task 0198c0de-0000-7000-8000-000000000003 was not found.' }) message!: string;
  @BoolField('True when the same call may succeed later.', { example: false }) retryable!: boolean;
  @TextField('What to do next.', { example: 'Call GET /api/projects/{project_id}/tasks and use one of its task_id values.' }) hint!: string;
  @RecordField('Facts about the error, small.', { example: { task_id: '0198c0de-0000-7000-8000-000000000003' } }) details!: Record<string, unknown>;
}

/** How a surface calls an operation: a tool name, or a REST path. */
export type OperationNames = (operation: Operation) => string;
export const restNames: OperationNames = (operation) => operations[operation];

export function toEnvelope(error: AppError, names: OperationNames): ErrorEnvelope {
  return { code: error.code, message: error.message, retryable: error.row.retryable, hint: renderHint(error, names), details: error.details };
}

/** In one pass, so that a fact is never read as a placeholder. A path keeps the placeholders for which the error has no fact. */
function renderHint(error: AppError, names: OperationNames): string {
  const known = (text: string) => text.replace(/\{(\w+)\}/g, (all, name: string) => (name in error.details ? String(error.details[name]) : all));
  return error.hintTemplate.replace(/\{(?:op:)?(\w+)\}/g, (all, name: string) => (all.startsWith('{op:') ? known(names(name as Operation)) : fill(all, error.details)));
}
