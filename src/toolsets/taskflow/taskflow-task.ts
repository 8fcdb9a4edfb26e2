import type { WorkflowTask } from './taskflow-board.repository.js';
import type { TaskOutput } from '../../tasks/task.dto.js';
import type { ChangedTaskOutput, TaskflowRow } from './taskflow.dto.js';

type Priority = 'low' | 'medium' | 'high' | 'critical';
/** Not an object: a priority may read like a member of every object. */
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

/** What a write answers: the id, the title and what was done, or the status the task has now. */
export const toChangedTask = (task: TaskOutput, status: string = task.taskflow_status): ChangedTaskOutput => ({
  task_id: task.task_id,
  status,
  title: task.title,
  progress_percent: task.progress_percent,
});
