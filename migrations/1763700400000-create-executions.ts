import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Executions with their logs and approvals, and what they make of an attempt. */
export class CreateExecutions1763700400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${EXECUTIONS}
${LOGS}
${APPROVALS}
${SUMMARIES}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP VIEW attempt_summaries;
DROP TABLE approvals, log_chunks, log_heads, executions;`);
  }
}

const EXECUTIONS = `
CREATE TABLE executions (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  session_id uuid NOT NULL REFERENCES sessions (id),
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  run_reason text NOT NULL CHECK (run_reason IN ('setupscript', 'codingagent', 'cleanupscript', 'devserver')),
  status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'killed')),
  repo_id uuid REFERENCES repos (id),
  prompt text,
  is_task_text boolean NOT NULL DEFAULT false,
  variant text,
  timeout_secs int,
  -- the principal whose turn it is
  started_by text NOT NULL,
  job_id uuid,
  runner_id text,
  -- of what its agent is let in with while it runs
  token_hash bytea,
  exit_code int,
  failure_summary text,
  final_message text,
  stop_requested_at timestamptz(3),
  stop_forced boolean NOT NULL DEFAULT false,
  -- as far as the agent says: null is not 0
  input_tokens bigint,
  cached_input_tokens bigint,
  output_tokens bigint,
  cost_usd double precision,
  log_bytes bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  completed_at timestamptz(3)
);
CREATE UNIQUE INDEX executions_one_live ON executions (attempt_id)
  WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_live_by_task ON executions (task_id)
  WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_live_by_project ON executions (project_id)
  WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_live_by_principal ON executions (started_by)
  WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_newest ON executions (attempt_id, number DESC) WHERE run_reason <> 'devserver';
CREATE INDEX executions_turns ON executions (session_id, number DESC) WHERE run_reason = 'codingagent';
CREATE INDEX executions_running ON executions (runner_id) WHERE status = 'running';
CREATE UNIQUE INDEX executions_by_token ON executions (token_hash) WHERE status = 'running' AND token_hash IS NOT NULL;
-- for the inbox
CREATE INDEX executions_failed ON executions (number)
  WHERE status IN ('failed', 'killed') AND run_reason <> 'devserver';
CREATE INDEX executions_with_usage ON executions (project_id, completed_at)
  WHERE input_tokens IS NOT NULL OR output_tokens IS NOT NULL OR cost_usd IS NOT NULL;
CREATE INDEX executions_usage_of_task ON executions (task_id)
  WHERE run_reason = 'codingagent'
    AND coalesce(input_tokens, cached_input_tokens, output_tokens, cost_usd) IS NOT NULL;`;

const LOGS = `
CREATE TABLE log_heads (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  channel text NOT NULL CHECK (channel IN ('raw', 'normalized', 'events')),
  next_index bigint NOT NULL,
  last_activity_at timestamptz(3) NOT NULL,
  dropped_entries bigint NOT NULL DEFAULT 0,
  -- of all executions of the attempt together; an execution gets its part when it ends
  bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (attempt_id, channel)
);
CREATE TABLE log_chunks (
  attempt_id uuid NOT NULL,
  channel text NOT NULL,
  first_index bigint NOT NULL,
  last_index bigint NOT NULL,
  execution_id uuid,
  created_at timestamptz(3) NOT NULL,
  entries jsonb NOT NULL,
  PRIMARY KEY (attempt_id, channel, last_index)
);`;

const APPROVALS = `
-- Of an execution that waits for its answer, or of a delivery, for which nothing waits and which does not expire.
CREATE TABLE approvals (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  execution_id uuid REFERENCES executions (id),
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  tool_name text NOT NULL,
  tool_call text,
  summary text NOT NULL,
  input jsonb NOT NULL,
  delivery jsonb,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'timed_out', 'cancelled')),
  reason text,
  answered_by text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  timeout_at timestamptz(3),
  answered_at timestamptz(3),
  performed_at timestamptz(3),
  CONSTRAINT approvals_asker_check CHECK ((execution_id IS NULL) = (delivery IS NOT NULL))
);
CREATE INDEX approvals_pending ON approvals (project_id, number) WHERE status = 'pending';
CREATE INDEX approvals_of_execution ON approvals (execution_id) WHERE status = 'pending';
CREATE UNIQUE INDEX approvals_of_delivery ON approvals (attempt_id, tool_name)
  WHERE status = 'pending' AND delivery IS NOT NULL;`;

const SUMMARIES = `
-- The one definition of an attempt's state: any live run (queued counts) is running, else the end of the newest one.
-- A run that ended later than the last delivery may have left work; an open pull request stays what it is.
CREATE VIEW attempt_summaries AS
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
    WHEN a.delivery_state IS NULL OR e.updated_at > a.delivery_state_at THEN 'ready'
    ELSE a.delivery_state
  END AS delivery_state,
  a.pr_url
FROM attempts a
LEFT JOIN LATERAL (
  SELECT id, executor FROM sessions WHERE attempt_id = a.id ORDER BY created_at DESC, id LIMIT 1
) s ON true
LEFT JOIN LATERAL (
  SELECT id, status, failure_summary, exit_code, stop_requested_at, run_reason, updated_at
  FROM executions
  WHERE attempt_id = a.id AND run_reason <> 'devserver'
  ORDER BY (status IN ('queued', 'running')) DESC, number DESC
  LIMIT 1
) e ON true;`;
