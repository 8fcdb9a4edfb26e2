import { REPORTED_USAGE, USAGE_SUMS } from '../executors/usage.dto.js';
import { columnsOf } from '../platform/database/columns.js';
import type { PreparedStatement } from '../platform/database/database.js';
import { ANY_WANTED } from '../platform/database/row-loader.js';
import { QUEUE_POSITION, TURNS_AHEAD, WAITING_REASON, waitingReason } from '../cluster/waiting.sql.js';
import { Attempt } from './attempt.entity.js';

/** Statements of AttemptsRepository. */

const COLUMNS = columnsOf(Attempt, 'a');

/** An attempt of a deleted task is not found. */
const VISIBLE = `
  JOIN live_tasks t ON t.id = a.task_id
  WHERE ($2::uuid[] IS NULL OR a.project_id = ANY($2))`;

/** AttemptSummaryRow, but for its number. */
const SUMMARY_COLUMNS = `s.attempt_id, s.workspace_branch, s.created_at, s.updated_at,
  s.latest_session_id, s.latest_session_executor, s.state, s.delivery_state, s.pr_url, s.checks_state`;

/** $1 task, $2 project scope, $3 number of the last attempt seen, $4 how many. */
export const LIST: PreparedStatement = {
  name: 'attempts',
  text: `
  SELECT ${SUMMARY_COLUMNS}, p.number
  FROM (
    SELECT a.id, a.number, a.created_at
    FROM attempts a ${VISIBLE} AND a.task_id = $1
      AND ($3::bigint IS NULL OR EXISTS (
        SELECT 1
        FROM attempts c
        WHERE c.number = $3 AND c.task_id = $1
          AND (a.created_at < c.created_at OR (a.created_at = c.created_at AND a.id > c.id))
      ))
    ORDER BY a.created_at DESC, a.id
    LIMIT $4
  ) p
  JOIN attempt_summaries s ON s.attempt_id = p.id
  ORDER BY p.created_at DESC, p.id`,
};

export const FIND_LATEST = `
  SELECT attempt_id, latest_session_id
  FROM attempt_summaries
  WHERE attempt_id = (SELECT id FROM attempts WHERE task_id = $1 ORDER BY created_at DESC, id LIMIT 1)`;

export const LIST_UNMERGED = `
  SELECT s.workspace_branch
  FROM attempt_summaries s
  JOIN attempts a ON a.id = s.attempt_id AND NOT a.is_imported
  WHERE s.task_id = $1 AND s.delivery_state NOT IN ('merged', 'pr_merged')
  ORDER BY s.created_at, s.attempt_id`;

const SEEN = 'state, failure_summary, delivery_state, updated_at';
export const OUTCOME = `SELECT ${SEEN} FROM attempt_summaries WHERE attempt_id = $1`;

export const GET = `
  SELECT ${COLUMNS}, t.made_by_attempt_id, project_role(a.project_id, $3) AS project_role
  FROM attempts a ${VISIBLE} AND a.id = $1`;

/** Does not lock the key, so that rows that refer to the attempt need not wait. */
export const LOCK = `${GET} FOR NO KEY UPDATE OF a`;

/** How the words of a task's priority order the turns of one project. */
const PRIORITY = `
  CASE lower(t.priority) WHEN 'critical' THEN 3 WHEN 'urgent' THEN 3 WHEN 'high' THEN 2 WHEN 'low' THEN -1 ELSE 0 END`;

/** Of the project and of each repository of the attempt, sorted. */
const LABELS = `
  ARRAY(
    SELECT unnest(p.runs_on) FROM projects p WHERE p.id = a.project_id
    UNION
    SELECT unnest(r.runs_on) FROM repos r JOIN attempt_repos o ON o.repo_id = r.id AND o.attempt_id = a.id
    ORDER BY 1
  )`;

/** TurnOrigin */
export const TURN_ORIGIN = `
  SELECT a.runner_id AS home, ${PRIORITY} AS priority, ${LABELS} AS labels
  FROM attempts a
  JOIN tasks t ON t.id = a.task_id
  WHERE a.id = $1`;

/** The role in the project of an attempt; $3 is the worker. */
export const ROLE: PreparedStatement = {
  name: 'attempt_role',
  text: `
  SELECT a.id, a.project_id, project_role(a.project_id, $3) AS project_role
  FROM attempts a
  JOIN live_tasks t ON t.id = a.task_id
  WHERE a.id = ${ANY_WANTED} AND ($2::uuid[] IS NULL OR a.project_id = ANY($2))`,
};

/** StatusRow; $3 is the worker. */
export const STATUS: PreparedStatement = {
  name: 'attempt_status',
  text: `
  SELECT ${SUMMARY_COLUMNS}, s.task_id, s.project_id, s.latest_execution_process_id, s.failure_summary,
    s.stop_requested_at, s.run_reason, s.execution_updated_at, s.execution_status,
    project_role(s.project_id, $3) AS project_role, turn.final_message, h.last_activity_at AS log_activity_at,
    (SELECT plan FROM log_heads WHERE attempt_id = s.attempt_id AND channel = 'normalized') AS plan,
    EXISTS (SELECT 1 FROM queued_messages q WHERE q.attempt_id = s.attempt_id) AS has_queued_message,
    (
      SELECT json_build_object('approval_id', p.id, 'summary', p.summary, 'expires_at', p.timeout_at)
      FROM approvals p
      WHERE p.project_id = s.project_id AND p.attempt_id = s.attempt_id AND p.status = 'pending'
      ORDER BY p.number
      LIMIT 1
    ) AS approval,
    (
      SELECT ${USAGE_SUMS}
      FROM executions e
      WHERE e.attempt_id = s.attempt_id AND ${REPORTED_USAGE}
      HAVING count(*) > 0
    ) AS usage
  FROM attempt_summaries s
  JOIN live_tasks t ON t.id = s.task_id
  LEFT JOIN LATERAL (
    SELECT final_message
    FROM executions
    WHERE attempt_id = s.attempt_id AND run_reason = 'codingagent'
    ORDER BY number DESC
    LIMIT 1
  ) turn ON true
  LEFT JOIN LATERAL (
    SELECT max(last_activity_at) AS last_activity_at FROM log_heads WHERE attempt_id = s.attempt_id
  ) h ON true
  WHERE s.attempt_id = ${ANY_WANTED} AND ($2::uuid[] IS NULL OR s.project_id = ANY($2))`,
};

/** WorkRow of attempts: what they changed, and the texts of the last entries of their latest runs. */
export const LIST_WORK = `
  SELECT a.id AS attempt_id, a.files_changed AS files, a.lines_added AS added, a.lines_deleted AS deleted,
    (
      SELECT jsonb_agg(
        jsonb_path_query_array(c.entries, '$[last - 15 to last] ? (@.type != "user_message").content')
        ORDER BY c.last_index
      )
      FROM log_heads h
      JOIN log_chunks c ON c.attempt_id = h.attempt_id AND c.channel = h.channel
        AND c.last_index BETWEEN h.next_index - 16 AND h.next_index
      WHERE h.attempt_id = a.id AND h.channel = 'normalized'
        AND c.execution_id = (SELECT latest_execution_process_id FROM attempt_summaries WHERE attempt_id = a.id)
    ) AS texts
  FROM attempts a
  WHERE a.id = ANY($1)`;

/** WaitingRow. $1 attempt, $2 cap of a project, 0 for none, $3 caps of executors. */
export const WAITING = `
  SELECT ${QUEUE_POSITION}, ${WAITING_REASON}
  FROM turn_jobs t
  JOIN turn_shares s ON s.project_id = t.project_id${TURNS_AHEAD}${waitingReason('$2', '$3')}
  WHERE t.attempt_id = $1 AND t.taken_at IS NULL`;

export const CONTEXT = `
  SELECT a.id AS attempt_id, a.branch AS workspace_branch, t.id AS task_id, t.title AS task_title,
    t.status AS task_status, p.id AS project_id, p.name AS project_name
  FROM attempts a
  JOIN live_tasks t ON t.id = a.task_id
  JOIN projects p ON p.id = a.project_id
  WHERE a.id = $1 AND ($2::uuid[] IS NULL OR a.project_id = ANY($2))`;

export const LIST_REPOS = `
  SELECT attempt_id, repo_id, position, repo_name, repo_path, target_branch, base_commit,
    operation, operation_onto, delivered_head
  FROM attempt_repos
  WHERE attempt_id = $1
  ORDER BY position`;

export const LIST_BY_IDS = `
  SELECT ${COLUMNS}
  FROM attempts a
  WHERE a.id = ANY($1)`;

const IS_DELETED = 'NOT EXISTS (SELECT FROM kept_tasks t WHERE t.id = a.task_id)';
export const LIST_DISPOSABLE = `${LIST_BY_IDS} AND ${IS_DELETED}`;

export const LIST_STRAYS = `
  SELECT ${COLUMNS}, ${IS_DELETED} AS is_deleted
  FROM attempts a
  WHERE a.id = ANY($1) AND (a.runner_id IS DISTINCT FROM $2 OR a.workspace_state = 'removed' OR ${IS_DELETED})`;

/** Of the runners $1 */
export const LIST_HOMES = `
  SELECT DISTINCT a.runner_id
  FROM attempts a
  WHERE a.runner_id = ANY($1) AND a.workspace_state <> 'removed' AND NOT ${IS_DELETED}`;

export const LIST_EXPIRED = `
  SELECT ${COLUMNS}
  FROM attempts a
  JOIN attempt_summaries s ON s.attempt_id = a.id
  JOIN live_tasks t ON t.id = a.task_id
  WHERE a.workspace_state = 'ready' AND a.runner_id = $1
    AND s.state <> 'running' AND s.updated_at < now() - $2 * interval '1 hour'
  ORDER BY a.number
  LIMIT 100`;

export const SET_WORKSPACE_STATE = `
  UPDATE attempts
  SET workspace_state = $2, updated_at = now()
  WHERE id = $1 AND workspace_state <> $2`;

export const SET_READY = `
  WITH made AS (
    UPDATE attempts a
    SET workspace_state = 'ready', runner_id = $3, updated_at = now()
    WHERE id = $1 AND (runner_id IS NOT DISTINCT FROM $2 OR runner_id = $3) AND NOT ${IS_DELETED}
    RETURNING id
  ), bases AS (
    UPDATE attempt_repos r
    SET base_commit = b.value
    FROM made, jsonb_each_text($4::jsonb) b
    WHERE r.attempt_id = made.id AND r.repo_name = b.key
  )
  SELECT id FROM made`;

export const SET_OPERATION = `
  UPDATE attempt_repos
  SET operation = $3, operation_onto = $4, base_commit = coalesce($5, base_commit)
  WHERE attempt_id = $1 AND repo_id = $2`;

export const SET_RESOLVING = `
  UPDATE attempts
  SET resolving = $2, updated_at = now()
  WHERE id = $1 AND resolving <> $2`;

export const SET_DELIVERED = `
  UPDATE attempt_repos
  SET delivered_head = $3, base_commit = $4, operation = NULL, operation_onto = NULL
  WHERE attempt_id = $1 AND repo_id = $2`;

export const SET_DELIVERY_STATE = `
  UPDATE attempts
  SET delivery_state = $2, delivery_state_at = now(), would_conflict = ($2 = 'conflicted'), updated_at = now()
  WHERE id = $1`;

export const SET_PULL_REQUEST = `
  UPDATE attempts
  SET delivery_state = $2, delivery_state_at = now(), pr_url = $3, updated_at = now()
  WHERE id = $1`;

export const SET_ASSESSMENT = `
  UPDATE attempts
  SET files_changed = coalesce($2, files_changed), lines_added = coalesce($3, lines_added),
    lines_deleted = coalesce($4, lines_deleted), would_conflict = coalesce($5, would_conflict), work_print = $6
  WHERE id = $1`;

export const SET_BRANCH = 'UPDATE attempts SET branch = $2, updated_at = now() WHERE id = $1';
export const SET_TARGET = 'UPDATE attempt_repos SET target_branch = $3 WHERE attempt_id = $1 AND repo_id = $2';
