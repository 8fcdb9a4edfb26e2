/** Colibri's words for a task, a page and a refusal. */
import type { AppError, ErrorDetails } from '../../platform/errors/app-error.js';
import type { ErrorCode } from '../../platform/errors/error-catalogue.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import type { OperationNames } from '../../platform/errors/operations.js';
import type { Wording } from '../../platform/errors/wording.js';
import { isRecord } from '../../platform/fields/normalise.js';
import { listedText, withinBytes } from '../../platform/fields/paging.js';
import { toThoughtOutput } from '../../thoughts/thought.dto.js';
import type { ThoughtPage } from '../../thoughts/thoughts.service.js';
import type { ColibriTask } from './colibri.dto.js';
import type { StagePage, StageTask } from './stage-board.repository.js';

export const toColibriTask = (task: StageTask): ColibriTask => ({
  id: task.id,
  project_id: task.project_id,
  title: task.title,
  description: task.description,
  status: task.stage,
  priority: task.priority,
  assignee: task.assignee_text ?? task.assignee_handle,
  created_at: task.created_at,
  updated_at: task.updated_at,
  deleted_at: task.deleted_at,
  is_blocked: task.is_blocked,
});

/** A page cut by limit or budget says where the next one begins; the last one has the dialect's own shape.
 *  @param more template of the hint that leads to what was cut by its offset
 *  @param maxBytes of the tasks */
export function toColibriTasks(
  { rows, total, offset }: StagePage,
  wording: Wording,
  more: (next: number) => string,
  maxBytes = Infinity,
) {
  const tasks = rows.map((row) => ({ ...toColibriTask(row), description: listedText(row.description) }));
  const shown = withinBytes(tasks, maxBytes);
  const next = offset + shown.length;
  const has_more = shown.length > 0 && next < total;
  return {
    tasks: shown,
    total_count: total,
    ...(has_more ? { has_more, next_offset: next, ...wording(more(next)) } : {}),
  };
}

export const toColibriThoughts = ({ records, total_count, has_more, next_cursor }: ThoughtPage) => ({
  records: records.map(toThoughtOutput),
  total_count,
  ...(has_more ? { has_more, next_cursor } : {}),
});

interface Call {
  tool: string;
  arguments: unknown;
  next?: object | undefined;
}
type Shape = { isError: boolean; structured: Record<string, unknown> };

/** Refusals that the dialect returns as data of a successful call. */
const dataShapes: Partial<Record<ErrorCode, (id: string, call: Call) => Record<string, unknown>>> = {
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

/** Messages that clients of this dialect match on. */
const messages: Partial<Record<ErrorCode, (facts: ErrorDetails) => string>> = {
  project_not_found: ({ project_id }) => `Project ${String(project_id)} was not found.`,
};

/** Faults of the arguments; every other failure is HANDLER_ERROR. */
const aboutArguments = new Set<ErrorCode>([
  'invalid_argument',
  'ambiguous_target',
  'missing_target',
  'mixed_pagination',
]);

/** The double envelope of the dialect, plus `retryable` and `hint`. */
export function renderColibriError(error: AppError, call: Call, names: OperationNames): Shape {
  const { message: common, retryable, hint } = toEnvelope(error, names);
  const message = messages[error.code]?.(error.details) ?? common;
  const dataShape = dataShapes[error.code];
  if (dataShape) {
    const refusal = { ...dataShape(idOf(call.arguments), call), retryable, hint, ...withNext({}, call) };
    return { isError: false, structured: { ok: true, data: { ok: false, error: refusal } } };
  }
  const code = aboutArguments.has(error.code) ? 'INVALID_PARAMS' : 'HANDLER_ERROR';
  return {
    isError: true,
    structured: {
      ok: false,
      error: {
        code,
        message,
        ...withNext(code === 'INVALID_PARAMS' ? { issues: error.details.fields ?? [] } : {}, call),
        retryable,
        hint,
      },
    },
  };
}

/** Details are only there if they say something. */
function withNext(facts: Record<string, unknown>, { next }: Call): { details?: Record<string, unknown> } {
  const details = next === undefined ? facts : { ...facts, next };
  return Object.keys(details).length > 0 ? { details } : {};
}

function idOf(args: unknown): string {
  const id = isRecord(args) ? (args.id ?? args.task_id) : undefined;
  return typeof id === 'string' ? id : '';
}
