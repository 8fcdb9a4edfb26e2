import type { WorkflowTask } from '../../tasks/taskflow-board.repository.js';
import type { TaskOutput } from '../../tasks/task.dto.js';
import type { ChangedTaskOutput, TaskflowRow } from './taskflow.dto.js';

const priorities = ['low', 'medium', 'high', 'critical'] as const;
const synonyms: Record<string, (typeof priorities)[number]> = { p0: 'critical', urgent: 'critical', blocker: 'critical', p1: 'high', p2: 'medium', normal: 'medium', p3: 'low', minor: 'low' };

/** Free words read as the nearest of TaskFlow's four; what nobody knows reads as medium. */
export function taskflowPriority(priority: string | null): (typeof priorities)[number] {
  const word = (priority ?? '').trim().toLowerCase();
  return priorities.find((known) => known === word) ?? synonyms[word] ?? 'medium';
}

export const toTaskflowRow = (task: WorkflowTask): TaskflowRow => ({
  id: task.id, title: task.title, status: task.taskflow_status, priority: taskflowPriority(task.priority), progress_percent: task.progress_percent,
  assignee_handle: task.assignee_handle, due_date: task.due_date?.toISOString() ?? null, tags: task.tags, task_number: Number(task.number),
});

/** What a write answers: the id, the title and what was done, or the status the task has now. */
export const toChangedTask = (task: TaskOutput, status: string = task.taskflow_status): ChangedTaskOutput => ({ task_id: task.task_id, status, title: task.title, progress_percent: task.progress_percent });
