import type { AttemptSummaryFields, TaskOutput, TaskRowOutput } from './task.dto.js';
import type { TaskWithAttempts } from './tasks.repository.js';

export const toTaskRowOutput = (task: TaskWithAttempts): TaskRowOutput => ({
  task_id: task.id, title: task.title, status: task.status, is_blocked: task.is_blocked,
  created_at: task.created_at.toISOString(), updated_at: task.updated_at.toISOString(), ...attemptSummary(task),
});

export const toTaskOutput = (task: TaskWithAttempts): TaskOutput => ({
  ...toTaskRowOutput(task), project_id: task.project_id, description: task.description, stage: task.stage,
});

const attemptSummary = (row: AttemptSummaryFields): AttemptSummaryFields => ({
  latest_attempt_id: row.latest_attempt_id, latest_workspace_branch: row.latest_workspace_branch, latest_session_id: row.latest_session_id,
  latest_session_executor: row.latest_session_executor, has_in_progress_attempt: row.has_in_progress_attempt, last_attempt_failed: row.last_attempt_failed,
});
