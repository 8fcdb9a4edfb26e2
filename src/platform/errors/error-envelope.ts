import { type Class, fieldsOf } from '../fields/field-node.js';
import { BoolField, RecordField, TextField } from '../fields/fields.js';
import type { AppError, ErrorDetails } from './app-error.js';
import { renderHint } from './hint.js';
import { withEnvelopes } from './nested-refusal.js';
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

/** Whether answers of the class may hold refusals; the others need not be searched for any. */
export function holdsRefusals(type: Class): boolean {
  return [...fieldsOf(type).values()].some(({ of }) => of && (of() === ErrorEnvelope || holdsRefusals(of())));
}

/** What a refusal says beside its facts. */
export interface EnvelopeExtras {
  /** The call that it leads to. */
  next?: object | undefined;
  /** Finds the request in the log. */
  http_request_id?: string;
}

/** What the message or the next tool call says is not said again: of wrong fields only their names are left, and of an
 *  id of another kind what it `is`. */
function shownFacts({ summary: _, fields, ...facts }: ErrorDetails, next: object = {}): ErrorDetails {
  const said = 'arguments' in next ? (next.arguments as Record<string, unknown>) : null;
  const isNew = ([name, value]: [string, unknown]) =>
    said?.[name] !== value && !('is' in facts && name.endsWith('_id'));
  const shown = said ? Object.fromEntries(Object.entries(facts).filter(isNew)) : facts;
  if (!Array.isArray(fields)) return shown;
  return { fields: (fields as { field: string }[]).map(({ field }) => ({ field })), ...shown };
}

export function toEnvelope(error: AppError, names: OperationNames, extras: EnvelopeExtras = {}): ErrorEnvelope {
  const facts = shownFacts(error.details, extras.next);
  const details = withEnvelopes(facts, (inner) => toEnvelope(inner, names)) as object;
  return {
    code: error.code,
    message: error.message,
    retryable: error.row.retryable,
    hint: renderHint(error.hintTemplate, error.details, names),
    details: { ...details, ...extras },
  };
}
