import type { TextTimes } from '../platform/database/text-times.js';
import { fieldsOf } from '../platform/fields/field-node.js';
import { refusal } from '../platform/fields/input-errors.js';
import { type TaskOutput, TaskRowOutput } from './task.dto.js';
import type { ListedTaskOutput } from './task-list.dto.js';
import type { ShownTask, TaskWithAttempts } from './tasks.repository.js';

export const toTaskRowOutput = (task: TaskWithAttempts): TaskRowOutput => ({
  task_id: task.id,
  title: task.title,
  status: task.status,
  is_blocked: task.is_blocked,
  created_at: task.created_at,
  updated_at: task.updated_at,
  latest_attempt_id: task.latest_attempt_id,
  latest_workspace_branch: task.latest_workspace_branch,
  latest_session_id: task.latest_session_id,
  latest_session_executor: task.latest_session_executor,
  has_in_progress_attempt: task.has_in_progress_attempt,
  last_attempt_failed: task.last_attempt_failed,
  delivery_state: task.delivery_state,
  pr_url: task.pr_url,
  checks_state: task.checks_state,
});

type RowField = keyof TaskRowOutput;
const rowFields = [...fieldsOf(TaskRowOutput).keys()];

/** What makes of a row the one that was asked for. @param names all fields where undefined
 *  @throws AppError invalid_argument */
export function rowChoice(names: readonly string[] | undefined): (row: TaskRowOutput) => ListedTaskOutput {
  if (names === undefined) return (row) => row;
  const wrong = names.find((name) => !rowFields.includes(name));
  if (wrong !== undefined)
    throw refusal([{ field: 'fields', message: `fields must be among: ${rowFields.join(', ')}` }]);
  return (row) => Object.fromEntries(names.map((name) => [name, row[name as RowField]]));
}

/** Object.assign, because V8 adds properties after a leading spread one by one, twenty times slower. */
export const toTaskOutput = (task: TextTimes<ShownTask>): TaskOutput =>
  Object.assign(toTaskRowOutput(task), {
    project_id: task.project_id,
    description: task.description,
    stage: task.stage,
    taskflow_status: task.taskflow_status,
    parent_task_id: task.parent_task_id,
    assignee_id: task.assignee_worker_id,
    assignee: task.assignee_handle ?? task.assignee_text,
    priority: task.priority,
    progress_percent: task.progress_percent,
    tags: task.tags,
    due_date: task.due_date,
    started_at: task.started_at,
    completed_at: task.completed_at,
    archived_at: task.archived_at,
    usage: task.usage,
  });
