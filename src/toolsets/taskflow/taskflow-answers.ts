/** TaskFlow's words for a task, a write and a refusal. */
import type { AppError } from '../../platform/errors/app-error.js';
import type { ErrorCode } from '../../platform/errors/error-catalogue.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import type { OperationNames } from '../../platform/errors/operations.js';
import { isRecord } from '../../platform/fields/normalise.js';
import type { TaskOutput } from '../../tasks/task.dto.js';
import type { WorkflowTask } from './taskflow-board.repository.js';
import type { ChangedTaskOutput, TaskflowRow } from './taskflow.dto.js';

type Priority = 'low' | 'medium' | 'high' | 'critical';
/** A Map, because a priority may be named like a member of every object. */
const priorities = new Map<string, Priority>([
  ['low', 'low'],
  ['p3', 'low'],
  ['minor', 'low'],
  ['medium', 'medium'],
  ['p2', 'medium'],
  ['normal', 'medium'],
  ['high', 'high'],
  ['p1', 'high'],
  ['critical', 'critical'],
  ['p0', 'critical'],
  ['urgent', 'critical'],
  ['blocker', 'critical'],
]);

/** Free text mapped to the nearest of TaskFlow's four priorities; unknown words map to medium. */
export const taskflowPriority = (priority: string | null): Priority =>
  priorities.get((priority ?? '').trim().toLowerCase()) ?? 'medium';

export const toTaskflowRow = (task: WorkflowTask): TaskflowRow => ({
  id: task.id,
  title: task.title,
  status: task.taskflow_status,
  priority: taskflowPriority(task.priority),
  progress_percent: task.progress_percent,
  assignee_handle: task.assignee_handle,
  due_date: task.due_date?.toISOString() ?? null,
  tags: task.tags,
  task_number: Number(task.number),
});

/** Answer to a write: id, title, and what was done or the new status. */
export const toChangedTask = (task: TaskOutput, status: string = task.taskflow_status): ChangedTaskOutput => ({
  task_id: task.task_id,
  status,
  title: task.title,
  progress_percent: task.progress_percent,
});

/** Messages that clients of this dialect match on. */
const messages: Partial<Record<ErrorCode, string>> = {
  task_not_found: 'Task not found',
  project_not_found: 'Project not found',
};

/** The dialect's refusal: the common envelope plus `error`, `status_code` and the task that was meant. */
export function renderTaskflowError(
  error: AppError,
  { arguments: args, next }: { arguments: unknown; next?: object | undefined },
  names: OperationNames,
): Record<string, unknown> {
  const envelope = toEnvelope(error, names, { next });
  const task_id = isRecord(args) && typeof args.task_id === 'string' ? args.task_id : null;
  return {
    error: true,
    ...envelope,
    message: messages[error.code] ?? envelope.message,
    status_code: error.row.status,
    task_id,
  };
}
