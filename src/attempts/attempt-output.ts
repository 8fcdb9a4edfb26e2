import type { AttemptSummaryRow, StatusRow, WaitingRow } from './attempt-rows.js';
import type { AttemptOutput, AttemptStatusOutput } from './attempt.dto.js';

export const toAttemptOutput = (row: AttemptSummaryRow): AttemptOutput => ({
  attempt_id: row.attempt_id,
  workspace_branch: row.workspace_branch,
  state: row.state,
  created_at: row.created_at,
  updated_at: row.updated_at,
  latest_session_id: row.latest_session_id,
  latest_session_executor: row.latest_session_executor,
});

/** Object.assign is many times faster than properties after a spread. */
export const toAttemptStatusOutput = (row: StatusRow, waiting: WaitingRow | null): AttemptStatusOutput =>
  Object.assign(toAttemptOutput(row), {
    task_id: row.task_id,
    latest_execution_process_id: row.latest_execution_process_id,
    run_reason: row.run_reason,
    last_activity_at: latest(row.log_activity_at, row.execution_updated_at),
    failure_summary: row.state === 'failed' ? (row.failure_summary ?? 'failed') : null,
    final_message: row.final_message,
    is_stopping: row.state === 'running' && row.stop_requested_at !== null,
    has_queued_message: row.has_queued_message,
    queue_position: waiting?.queue_position ?? null,
    waiting_reason: waiting?.waiting_reason ?? null,
    waiting_for_approval: row.waiting_for_approval,
    delivery_state: row.delivery_state,
    pr_url: row.pr_url,
    usage: row.usage,
  });

/** ISO text sorts as the times do. */
const latest = (...times: (string | null)[]): string | null =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) ?? null;
