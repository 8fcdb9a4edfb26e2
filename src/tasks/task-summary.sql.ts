/** Joins a task `t` to its newest attempt; state comes from the one view that defines it. */
export const ATTEMPT_SUMMARY_JOINS = `
  LEFT JOIN LATERAL (
    SELECT attempt_id, workspace_branch, latest_session_id, latest_session_executor, state
    FROM attempt_summaries
    WHERE task_id = t.id
    ORDER BY created_at DESC, attempt_id LIMIT 1
  ) a ON true`;

export const ATTEMPT_SUMMARY_COLUMNS = `
    a.attempt_id AS latest_attempt_id, a.workspace_branch AS latest_workspace_branch,
    a.latest_session_id, a.latest_session_executor,
    EXISTS (
      SELECT 1 FROM executions e
      WHERE e.task_id = t.id AND e.status IN ('queued', 'running') AND e.run_reason <> 'devserver'
    ) AS has_in_progress_attempt,
    coalesce(a.state = 'failed', false) AS last_attempt_failed`;
