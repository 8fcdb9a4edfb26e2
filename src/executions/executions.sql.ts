import { columnsOf } from '../platform/database/columns.js';
import type { PreparedStatement } from '../platform/database/database.js';
import { Execution } from './execution.entity.js';

/** Statements of ExecutionsRepository, in its order. */

const COLUMNS = columnsOf(Execution, 'e');
const LIVE = "e.status IN ('queued', 'running') AND e.run_reason <> 'devserver'";

export const GET = `
  SELECT ${COLUMNS}, project_role(e.project_id, $3) AS project_role
  FROM executions e
  JOIN live_tasks t ON t.id = e.task_id
  WHERE e.id = $1 AND ($2::uuid[] IS NULL OR e.project_id = ANY($2))`;

export const FIND_LIVE = `
  SELECT ${COLUMNS}
  FROM executions e
  WHERE e.attempt_id = $1 AND ${LIVE}`;

export const FIND_LIVE_OF_TASK = `
  SELECT ${COLUMNS}
  FROM executions e
  WHERE e.task_id = $1 AND ${LIVE}
  LIMIT 1`;

export const FIND_LIVE_OF_PROJECT = `
  SELECT ${COLUMNS}
  FROM executions e
  WHERE e.project_id = $1 AND ${LIVE}
  LIMIT 1`;

/** $1 the principal, $2 the project. */
export const COUNT_LIVE = `
  SELECT
    (SELECT count(*)::int FROM executions e WHERE e.started_by = $1 AND ${LIVE}) AS of_principal,
    (SELECT count(*)::int FROM executions e WHERE e.project_id = $2 AND ${LIVE}) AS of_project`;

export const LIST_RUNNING_OF = `
  SELECT ${COLUMNS}
  FROM executions e
  WHERE e.runner_id = $1 AND e.status = 'running' AND e.run_reason <> 'devserver'
  ORDER BY e.number`;

/** Only on the runner that has the worktrees, because ignored files of a setup do not move. */
export const LIST_COMPLETED_SETUPS = `
  SELECT e.repo_id
  FROM executions e
  JOIN attempts a ON a.id = e.attempt_id
  WHERE e.attempt_id = $1 AND e.run_reason = 'setupscript' AND e.status = 'completed'
    AND e.runner_id = coalesce(a.runner_id, e.runner_id)`;

export const INSERT = `
  INSERT INTO executions AS e (
    id, attempt_id, session_id, task_id, project_id, run_reason, repo_id, status,
    prompt, is_task_text, variant, timeout_secs, job_id, runner_id, started_by,
    created_at, updated_at, started_at
  ) VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8,
    $9, $10, $11, $12, $13, $14, $15,
    now(), now(), CASE WHEN $8 = 'running' THEN now() END
  )
  RETURNING ${COLUMNS}`;

export const CLAIM = `
  UPDATE executions e
  SET status = 'running', runner_id = $3, started_at = coalesce(e.started_at, now()), updated_at = now()
  WHERE e.attempt_id = $1 AND e.job_id = $2
    AND (e.status = 'queued' OR (e.status = 'running' AND e.runner_id = $3))
  RETURNING ${COLUMNS}`;

export const FIND_HELD = `
  SELECT ${COLUMNS}
  FROM executions e
  WHERE e.attempt_id = $1 AND e.job_id = $2 AND e.status = 'running'`;

/** Cost of the conversation so far minus its earlier turns, unless the agent has reset its counter. */
const COST_OF_TURN = `
      SELECT $11::float8 - CASE
        WHEN $11::float8 < coalesce(sum(b.cost_usd), 0) THEN 0
        ELSE coalesce(sum(b.cost_usd), 0)
      END
      FROM executions b
      WHERE b.session_id = executions.session_id AND b.number < executions.number
    `;

export const END = `
  UPDATE executions
  SET status = $4, exit_code = $5, failure_summary = $6, final_message = coalesce($7, final_message),
    input_tokens = $8, cached_input_tokens = $9, output_tokens = $10,
    cost_usd = CASE WHEN $12::boolean THEN (${COST_OF_TURN}) ELSE $11::float8 END,
    completed_at = now(), updated_at = now()
  WHERE id = $1 AND job_id = $2 AND status = ANY($3)
  RETURNING input_tokens, cached_input_tokens, output_tokens, cost_usd`;

/** Newest first. */
export const LIST_OF_ATTEMPT: PreparedStatement = {
  name: 'executions_of_attempt',
  text: `
  SELECT e.id, e.number, e.attempt_id, e.session_id, s.executor, e.run_reason, e.status, e.variant, e.exit_code,
    e.failure_summary, e.created_at, e.started_at, e.completed_at,
    round(extract(epoch FROM coalesce(e.completed_at, now()) - e.started_at) * 1000)::float8 AS duration_ms,
    e.input_tokens, e.cached_input_tokens, e.output_tokens, e.cost_usd
  FROM executions e
  JOIN sessions s ON s.id = e.session_id
  WHERE e.attempt_id = $1 AND e.number < $2
  ORDER BY e.number DESC
  LIMIT $3`,
};

export const COUNT_TURNS = `
  SELECT count(*)::int AS turns
  FROM executions
  WHERE attempt_id = $1 AND run_reason = 'codingagent' AND number <= $2`;

/** By its tokens, or by its words where it does not count. */
export const HAS_ANSWERED = `
  SELECT EXISTS (
    SELECT FROM executions
    WHERE attempt_id = $1 AND job_id = $2 AND run_reason = 'codingagent'
      AND CASE WHEN output_tokens IS NULL THEN btrim(coalesce(final_message, '')) <> '' ELSE output_tokens > 0 END
  ) AS has_answered`;

export const FIND_BY_TOKEN = `
  SELECT e.id, e.attempt_id, e.task_id, e.project_id, e.run_reason, e.started_by, s.executor
  FROM executions e
  JOIN sessions s ON s.id = e.session_id
  WHERE e.token_hash = $1 AND e.status = 'running'`;

export const REQUEST_STOP = `
  UPDATE executions
  SET stop_requested_at = coalesce(stop_requested_at, now()), stop_forced = stop_forced OR $2, updated_at = now()
  WHERE id = $1`;

export const FIND_STOP = `
  SELECT stop_requested_at, stop_forced
  FROM executions
  WHERE id = $1 AND job_id = $2 AND status = 'running'`;

export const LAST_MESSAGE = `
  SELECT prompt, is_task_text, variant, timeout_secs
  FROM executions
  WHERE session_id = $1 AND run_reason <> 'check'
  ORDER BY number DESC LIMIT 1`;

/** Attempts with a queued message and no live execution. */
export const LIST_LEFT_MESSAGES = `
  SELECT DISTINCT q.attempt_id
  FROM queued_messages q
  WHERE NOT EXISTS (
    SELECT 1 FROM executions e WHERE e.attempt_id = q.attempt_id AND ${LIVE}
  )
  LIMIT $1
`;
