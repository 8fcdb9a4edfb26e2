import type { AttemptSummaryFields, TaskOutput, TaskRowOutput } from './task.dto.js';
import type { TaskWithAttempts } from './tasks.repository.js';

export const toTaskRowOutput = (task: TaskWithAttempts): TaskRowOutput => ({
  task_id: task.id, title: task.title, status: task.status, is_blocked: task.is_blocked,
  created_at: task.created_at.toISOString(), updated_at: task.updated_at.toISOString(), ...attemptSummary(task),
});

const time = (value: Date | null): string | null => value?.toISOString() ?? null;

export const toTaskOutput = (task: TaskWithAttempts & { assignee_handle: string | null }): TaskOutput => ({
  ...toTaskRowOutput(task), project_id: task.project_id, description: task.description, stage: task.stage, taskflow_status: task.taskflow_status,
  parent_task_id: task.parent_task_id, assignee_id: task.assignee_worker_id, assignee: task.assignee_handle ?? task.assignee_text, priority: task.priority,
  progress_percent: task.progress_percent, tags: task.tags, due_date: time(task.due_date), started_at: time(task.started_at), completed_at: time(task.completed_at),
});

const attemptSummary = (row: AttemptSummaryFields): AttemptSummaryFields => ({
  latest_attempt_id: row.latest_attempt_id, latest_workspace_branch: row.latest_workspace_branch, latest_session_id: row.latest_session_id,
  latest_session_executor: row.latest_session_executor, has_in_progress_attempt: row.has_in_progress_attempt, last_attempt_failed: row.last_attempt_failed,
});
