import type { PreparedStatement } from '../platform/database/database.js';
import { ANY_WANTED } from '../platform/database/row-loader.js';

/** An attempt of a deleted task is not found. */
export const VISIBLE = `
  JOIN live_tasks t ON t.id = a.task_id
  WHERE ($2::uuid[] IS NULL OR a.project_id = ANY($2))`;

/** AttemptSummaryRow, but for its number. */
const SUMMARY_COLUMNS = `s.attempt_id, s.workspace_branch, s.created_at, s.updated_at,
    s.latest_session_id, s.latest_session_executor, s.state`;

/** $1 task, $2 project scope, $3 number of the last attempt seen, $4 how many. */
export const LIST: PreparedStatement = {
  name: 'attempts',
  text: `
  SELECT ${SUMMARY_COLUMNS}, p.number
  FROM (
    SELECT a.id, a.number, a.created_at
    FROM attempts a ${VISIBLE} AND a.task_id = $1
      AND ($3::bigint IS NULL OR EXISTS (
        SELECT 1 FROM attempts c
        WHERE c.number = $3 AND c.task_id = $1
          AND (a.created_at < c.created_at OR (a.created_at = c.created_at AND a.id > c.id))
      ))
    ORDER BY a.created_at DESC, a.id LIMIT $4
  ) p
  JOIN attempt_summaries s ON s.attempt_id = p.id
  ORDER BY p.created_at DESC, p.id`,
};

/** StatusRow; $3 is the worker. */
export const STATUS: PreparedStatement = {
  name: 'attempt_status',
  text: `
  SELECT ${SUMMARY_COLUMNS}, s.task_id, s.project_id, s.latest_execution_process_id,
    s.failure_summary, s.stop_requested_at, s.run_reason, s.execution_updated_at,
    is_excluded(s.project_id, $3) AS is_excluded, turn.final_message, h.last_activity_at AS log_activity_at,
    EXISTS (SELECT 1 FROM queued_messages q WHERE q.attempt_id = s.attempt_id) AS has_queued_message
  FROM attempt_summaries s
  JOIN live_tasks t ON t.id = s.task_id
  LEFT JOIN LATERAL (
    SELECT final_message FROM executions
    WHERE attempt_id = s.attempt_id AND run_reason = 'codingagent'
    ORDER BY number DESC LIMIT 1
  ) turn ON true
  LEFT JOIN LATERAL (
    SELECT max(last_activity_at) AS last_activity_at FROM log_heads WHERE attempt_id = s.attempt_id
  ) h ON true
  WHERE s.attempt_id = ${ANY_WANTED} AND ($2::uuid[] IS NULL OR s.project_id = ANY($2))`,
};
