import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks of a repository, their runs on the work of attempts, and what came of them. */
export class CheckWork1763701930000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
    await runner.query(columns);
    await runner.query(summaries(withoutChecks, CHECKS_STATE));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW attempt_summaries;');
    await runner.query(summaries('number DESC'));
    await runner.query(`
ALTER TABLE attempts DROP COLUMN checks_state, DROP COLUMN fix_rounds_used, DROP COLUMN checks_exhausted_reason;
DROP TABLE check_results, check_runs, check_baselines, repo_checks;
DELETE FROM executions WHERE run_reason = 'check';
ALTER TABLE executions DROP CONSTRAINT executions_run_reason_check, ADD CONSTRAINT executions_run_reason_check
  CHECK (run_reason IN ('setupscript', 'codingagent', 'cleanupscript', 'devserver'));`);
  }
}

const STATES = "('pending', 'running', 'passed', 'failed', 'errored', 'skipped', 'stale')";

const tables = `
CREATE TABLE repo_checks (
  repo_id uuid NOT NULL CONSTRAINT repo_checks_pkey PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  version int NOT NULL,
  checks jsonb NOT NULL
);

CREATE TABLE check_runs (
  id uuid NOT NULL PRIMARY KEY,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  task_id uuid NOT NULL REFERENCES tasks (id),
  cause text NOT NULL CHECK (cause IN ('turn_end', 'request', 'delivery')),
  job_id uuid NOT NULL CONSTRAINT check_runs_job_key UNIQUE,
  requested_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  planned_at timestamptz(3),
  ended_at timestamptz(3)
);
CREATE INDEX check_runs_of_attempt ON check_runs (attempt_id, number DESC);

CREATE TABLE check_results (
  run_id uuid NOT NULL REFERENCES check_runs (id) ON DELETE CASCADE,
  position int NOT NULL,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL REFERENCES repos (id),
  name text NOT NULL,
  required boolean NOT NULL,
  head text,
  target text,
  base text,
  version int NOT NULL,
  definition jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ${STATES}),
  exit_code int,
  duration_ms int,
  execution_id uuid REFERENCES executions (id),
  baseline_execution_id uuid REFERENCES executions (id),
  tries int NOT NULL DEFAULT 0,
  losses int NOT NULL DEFAULT 0,
  failed_before boolean,
  reason text,
  tail text,
  CONSTRAINT check_results_pkey PRIMARY KEY (run_id, position)
);

CREATE TABLE check_baselines (
  repo_id uuid NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  commit text NOT NULL,
  definition_hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('passed', 'failed')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT check_baselines_pkey PRIMARY KEY (repo_id, commit, definition_hash)
);`;

const columns = `
ALTER TABLE attempts
  ADD COLUMN checks_state text CHECK (checks_state IN ${STATES}),
  ADD COLUMN fix_rounds_used smallint NOT NULL DEFAULT 0,
  ADD COLUMN checks_exhausted_reason text;
ALTER TABLE executions DROP CONSTRAINT executions_run_reason_check, ADD CONSTRAINT executions_run_reason_check
  CHECK (run_reason IN ('setupscript', 'codingagent', 'cleanupscript', 'devserver', 'check'));`;

/** Once they ended, checks do not tell how an attempt stands. */
const withoutChecks = "(run_reason = 'check'), number DESC";

/** Null where nothing is checked; pending before the first run. */
const CHECKS_STATE = `,
  CASE
    WHEN (SELECT p.checks FROM projects p WHERE p.id = a.project_id) = 'off' THEN NULL
    WHEN a.checks_state IS NOT NULL THEN a.checks_state
    WHEN EXISTS (
      SELECT FROM attempt_repos r
      JOIN repo_checks c ON c.repo_id = r.repo_id AND c.checks <> '[]'
      WHERE r.attempt_id = a.id
    ) THEN 'pending'
  END AS checks_state`;

const summaries = (newest: string, more = ''): string => `
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
  a.pr_url${more}
FROM attempts a
LEFT JOIN LATERAL (
  SELECT id, executor FROM sessions WHERE attempt_id = a.id ORDER BY created_at DESC, id LIMIT 1
) s ON true
LEFT JOIN LATERAL (
  SELECT id, status, failure_summary, exit_code, stop_requested_at, run_reason, updated_at
  FROM executions
  WHERE attempt_id = a.id AND run_reason <> 'devserver'
  ORDER BY (status IN ('queued', 'running')) DESC, ${newest}
  LIMIT 1
) e ON true;`;
