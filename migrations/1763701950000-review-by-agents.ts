import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reviews by a second agent: sessions of its own, its verdicts, and comments that are an agent's. */
export class ReviewByAgents1763701950000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
    await runner.query(summaries("AND role = 'author'", "('check', 'review')"));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(summaries('', "('check')"));
    await runner.query(down);
  }
}

const REASONS = "'setupscript', 'codingagent', 'cleanupscript', 'devserver', 'check'";
const REPORTED = 'coalesce(input_tokens, cached_input_tokens, output_tokens, cost_usd) IS NOT NULL';

/** @param which sessions are noted at their task */
const noteExecutors = (which: string): string => `
CREATE OR REPLACE FUNCTION note_executors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks t
  SET executors = t.executors || ARRAY(SELECT unnest(n.executors) EXCEPT SELECT unnest(t.executors) ORDER BY 1)
  FROM (
    SELECT a.task_id, array_agg(DISTINCT s.executor) AS executors
    FROM added s
    JOIN attempts a ON a.id = s.attempt_id
    ${which}
    GROUP BY a.task_id
  ) n
  WHERE t.id = n.task_id AND NOT n.executors <@ t.executors;
  RETURN NULL;
END $$;`;

const up = `
ALTER TABLE sessions ADD COLUMN role text NOT NULL DEFAULT 'author' CHECK (role IN ('author', 'reviewer'));
${noteExecutors("WHERE s.role = 'author'")}
ALTER TABLE attempts ADD COLUMN work_print text;
ALTER TABLE review_comments
  ADD COLUMN author_type text NOT NULL DEFAULT 'human' CHECK (author_type IN ('human', 'agent')),
  ADD COLUMN severity text CHECK (severity IN ('critical', 'major', 'minor', 'nit'));

ALTER TABLE executions DROP CONSTRAINT executions_run_reason_check, ADD CONSTRAINT executions_run_reason_check
  CHECK (run_reason IN (${REASONS}, 'review'));
DROP INDEX executions_turns, executions_usage_of_task;
CREATE INDEX executions_turns ON executions (session_id, number DESC) WHERE run_reason IN ('codingagent', 'review');
CREATE INDEX executions_usage_of_task ON executions (task_id)
  WHERE run_reason IN ('codingagent', 'review') AND ${REPORTED};

CREATE TABLE agent_reviews (
  id uuid NOT NULL PRIMARY KEY,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  session_id uuid REFERENCES sessions (id),
  execution_id uuid CONSTRAINT agent_reviews_execution_key UNIQUE REFERENCES executions (id),
  executor text NOT NULL,
  work_print text,
  verdict text CHECK (verdict IN ('approve', 'request_changes')),
  summary text,
  comment_ids uuid[] NOT NULL DEFAULT '{}',
  refusal text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  submitted_at timestamptz(3),
  CONSTRAINT agent_reviews_begun CHECK ((execution_id IS NULL) = (refusal IS NOT NULL)),
  CONSTRAINT agent_reviews_submitted CHECK ((verdict IS NULL) = (submitted_at IS NULL))
);
CREATE INDEX agent_reviews_of_attempt ON agent_reviews (attempt_id, number DESC);`;

const down = `
DROP TABLE agent_reviews;
DELETE FROM executions WHERE run_reason = 'review';
DROP INDEX executions_turns, executions_usage_of_task;
CREATE INDEX executions_turns ON executions (session_id, number DESC) WHERE run_reason = 'codingagent';
CREATE INDEX executions_usage_of_task ON executions (task_id) WHERE run_reason = 'codingagent' AND ${REPORTED};
ALTER TABLE executions DROP CONSTRAINT executions_run_reason_check, ADD CONSTRAINT executions_run_reason_check
  CHECK (run_reason IN (${REASONS}));
ALTER TABLE review_comments DROP COLUMN author_type, DROP COLUMN severity;
ALTER TABLE attempts DROP COLUMN work_print;
${noteExecutors('')}
DELETE FROM sessions WHERE role = 'reviewer';
ALTER TABLE sessions DROP COLUMN role;`;

/** An attempt is what its author makes of it: once a review has ended, it does not tell how the attempt stands.
 *  @param authors which of its sessions count @param others what says nothing of it once it has ended */
const summaries = (authors: string, others: string): string => `
CREATE OR REPLACE VIEW attempt_summaries AS
SELECT a.id AS attempt_id, a.task_id, a.project_id, a.branch AS workspace_branch, a.workspace_state, a.runner_id,
  a.created_at, greatest(a.updated_at, e.updated_at) AS updated_at,
  s.id AS latest_session_id, s.executor AS latest_session_executor,
  e.id AS latest_execution_process_id, e.failure_summary, e.exit_code, e.stop_requested_at, e.run_reason,
  e.status AS execution_status, e.updated_at AS execution_updated_at,
  CASE
    WHEN e.id IS NULL THEN 'idle'
    WHEN e.status IN ('queued', 'running') THEN 'running'
    WHEN e.status = 'completed' THEN 'completed'
    ELSE 'failed'
  END AS state,
  CASE
    WHEN e.id IS NULL THEN coalesce(a.delivery_state, 'none')
    WHEN a.delivery_state IN ('pr_open', 'pr_queued') THEN a.delivery_state
    WHEN e.status IN ('queued', 'running') THEN 'running'
    WHEN e.updated_at <= a.delivery_state_at AND a.delivery_state <> 'ready' THEN a.delivery_state
    WHEN a.would_conflict THEN 'conflicted'
    WHEN e.status = 'completed' THEN 'ready'
    ELSE 'failed'
  END AS delivery_state,
  a.pr_url,
  CASE
    WHEN (SELECT p.checks FROM projects p WHERE p.id = a.project_id) = 'off' THEN NULL
    WHEN a.checks_state IS NOT NULL THEN a.checks_state
    WHEN EXISTS (
      SELECT FROM attempt_repos r
      JOIN repo_checks c ON c.repo_id = r.repo_id AND c.checks <> '[]'
      WHERE r.attempt_id = a.id
    ) THEN 'pending'
  END AS checks_state
FROM attempts a
LEFT JOIN LATERAL (
  SELECT id, executor FROM sessions WHERE attempt_id = a.id ${authors} ORDER BY created_at DESC, id LIMIT 1
) s ON true
LEFT JOIN LATERAL (
  SELECT id, status, failure_summary, exit_code, stop_requested_at, run_reason, updated_at
  FROM executions
  WHERE attempt_id = a.id AND run_reason <> 'devserver'
  ORDER BY (status IN ('queued', 'running')) DESC, (run_reason IN ${others}), number DESC
  LIMIT 1
) e ON true;`;
