import type { PreparedStatement } from '../platform/database/database.js';
import { QUEUE_POSITION, TURNS_AHEAD } from '../cluster/waiting.sql.js';

/** $1 project, $2 text to search with its wildcards escaped, $3 assignee, $4 priority, $5 tag, $6 executor; null is
 *  any. */
const MATCHES = `t.project_id = $1
      AND ($2::text IS NULL OR t.title ILIKE $2 OR t.description ILIKE $2)
      AND ($3::text IS NULL OR t.assignee_text = $3 OR t.assignee_worker_id = (
        SELECT id FROM workers WHERE handle = $3 OR id::text = $3 LIMIT 1
      ))
      AND ($4::text IS NULL OR t.priority = $4)
      AND ($5::text IS NULL OR $5 = ANY(t.tags))
      AND ($6::text IS NULL OR EXISTS (
        SELECT 1
        FROM attempts a
        JOIN sessions s ON s.attempt_id = a.id
        WHERE a.task_id = t.id AND s.executor = $6
      ))`;

export const COUNTS: PreparedStatement = {
  name: 'board_counts',
  text: `
  SELECT t.status, count(*)::int AS count
  FROM live_tasks t
  WHERE ${MATCHES}
  GROUP BY t.status`,
};

/** $7 the columns, $8 cards of each: the newest, by the index of project, status and number. */
export const CARDS: PreparedStatement = {
  name: 'board_cards',
  text: `
  SELECT t.status, t.id AS task_id, t.title, t.stage, t.is_blocked, t.parent_task_id,
    t.assignee_worker_id AS assignee_id, coalesce(w.handle, t.assignee_text) AS assignee,
    t.priority, t.tags, t.progress_percent, t.due_date, t.created_at, t.updated_at,
    a.attempt_id AS latest_attempt_id, a.latest_session_executor AS executor, a.state,
    coalesce(a.execution_status = 'queued', false) AS is_queued, coalesce(a.delivery_state, 'none') AS delivery_state,
    waiting.queue_position, a.lines_added, a.lines_deleted,
    (
      SELECT count(*)::int FROM approvals p
      WHERE p.project_id = $1 AND p.task_id = t.id AND p.status = 'pending'
    ) AS pending_approvals
  FROM unnest($7::text[]) WITH ORDINALITY AS board (status, position)
  CROSS JOIN LATERAL (
    SELECT t.id, t.number, t.status, t.title, t.stage, t.is_blocked, t.parent_task_id, t.assignee_worker_id,
      t.assignee_text, t.priority, t.tags, t.progress_percent, t.due_date, t.created_at, t.updated_at
    FROM live_tasks t
    WHERE t.status = board.status AND ${MATCHES}
    ORDER BY t.number DESC
    LIMIT $8
  ) t
  LEFT JOIN workers w ON w.id = t.assignee_worker_id
  LEFT JOIN LATERAL (
    SELECT s.attempt_id, s.latest_session_executor, s.state, s.execution_status, s.delivery_state,
      newest.lines_added, newest.lines_deleted
    FROM (
      SELECT id, lines_added, lines_deleted
      FROM attempts
      WHERE task_id = t.id
      ORDER BY created_at DESC, id LIMIT 1
    ) newest
    JOIN attempt_summaries s ON s.attempt_id = newest.id
  ) a ON true
  LEFT JOIN LATERAL (
    SELECT ${QUEUE_POSITION}
    FROM turn_jobs t
    JOIN turn_shares s ON s.project_id = t.project_id${TURNS_AHEAD}
    WHERE t.attempt_id = a.attempt_id AND t.taken_at IS NULL
  ) waiting ON true
  ORDER BY board.position, t.number DESC`,
};
