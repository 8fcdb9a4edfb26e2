import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects, repositories, tasks, attempts, sessions, executions, logs and idempotency keys. */
export class CreateBoard1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE projects (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3)
);
CREATE UNIQUE INDEX projects_slug_key ON projects (slug) WHERE deleted_at IS NULL;
CREATE INDEX projects_newest ON projects (number DESC) WHERE deleted_at IS NULL;

CREATE TABLE repos (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  project_id uuid NOT NULL REFERENCES projects (id),
  name text NOT NULL,
  path text NOT NULL,
  url text,
  default_target_branch text NOT NULL,
  setup_script text,
  cleanup_script text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT repos_name_key UNIQUE (project_id, name)
);

CREATE TABLE tasks (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  project_id uuid REFERENCES projects (id),
  title text NOT NULL,
  description text,
  stage text NOT NULL DEFAULT 'INIT'
    CHECK (stage IN ('INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED')),
  is_blocked boolean NOT NULL DEFAULT false,
  status text NOT NULL GENERATED ALWAYS AS (CASE stage
    WHEN 'INIT' THEN 'todo' WHEN 'VERIFY' THEN 'inreview' WHEN 'DONE' THEN 'done' WHEN 'CANCELLED' THEN 'cancelled'
    ELSE 'inprogress' END) STORED,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3)
);
CREATE INDEX tasks_newest ON tasks (project_id, number DESC) WHERE deleted_at IS NULL;
CREATE INDEX tasks_newest_by_status ON tasks (project_id, status, number DESC) WHERE deleted_at IS NULL;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;

CREATE TABLE attempts (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  branch text NOT NULL,
  workspace_state text NOT NULL DEFAULT 'preparing'
          CHECK (workspace_state IN ('preparing', 'ready', 'lost', 'removed')),
  runner_id text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX attempts_newest ON attempts (task_id, created_at DESC, id);

CREATE TABLE attempt_repos (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL CONSTRAINT attempt_repos_repo_fkey REFERENCES repos (id),
  position int NOT NULL,
  repo_name text NOT NULL,
  repo_path text NOT NULL,
  target_branch text NOT NULL,
  base_commit text,
  PRIMARY KEY (attempt_id, repo_id)
);
CREATE INDEX attempt_repos_by_repo ON attempt_repos (repo_id);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  executor text NOT NULL,
  variant text,
  agent_session_id text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX sessions_newest ON sessions (attempt_id, created_at DESC, id);

CREATE TABLE queued_messages (
  session_id uuid PRIMARY KEY REFERENCES sessions (id),
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  prompt text NOT NULL,
  variant text,
  queued_at timestamptz(3) NOT NULL
);
CREATE INDEX queued_messages_by_attempt ON queued_messages (attempt_id);

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
  job_id uuid,
  runner_id text,
  exit_code int,
  failure_summary text,
  final_message text,
  stop_requested_at timestamptz(3),
  stop_forced boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  started_at timestamptz(3),
  completed_at timestamptz(3)
);
CREATE UNIQUE INDEX executions_one_live ON executions (attempt_id)
        WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_live_by_task ON executions (task_id)
        WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_newest ON executions (attempt_id, number DESC) WHERE run_reason <> 'devserver';
CREATE INDEX executions_turns ON executions (session_id, number DESC) WHERE run_reason = 'codingagent';
CREATE INDEX executions_running ON executions (runner_id) WHERE status = 'running';

CREATE TABLE log_heads (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  channel text NOT NULL CHECK (channel IN ('raw', 'normalized', 'events')),
  next_index bigint NOT NULL,
  last_activity_at timestamptz(3) NOT NULL,
  dropped_entries bigint NOT NULL DEFAULT 0,
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
);

CREATE TABLE idempotency_keys (
  operation text NOT NULL,
  principal_id text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('in_progress', 'completed')),
  result jsonb,
  project_id uuid,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (operation, principal_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (state, updated_at);

-- The one definition of an attempt's state: any live run (queued counts) is running, else the end of the newest one.
CREATE VIEW attempt_summaries AS
SELECT a.id AS attempt_id, a.task_id, a.project_id, a.branch AS workspace_branch, a.workspace_state, a.runner_id,
  a.created_at, greatest(a.updated_at, e.updated_at) AS updated_at,
  s.id AS latest_session_id, s.executor AS latest_session_executor,
  e.id AS latest_execution_process_id, e.failure_summary, e.exit_code, e.stop_requested_at, e.run_reason,
  e.status AS execution_status, e.updated_at AS execution_updated_at,
  CASE WHEN e.id IS NULL THEN 'idle'
       WHEN e.status IN ('queued', 'running') THEN 'running'
       WHEN e.status = 'completed' THEN 'completed'
       ELSE 'failed' END AS state
FROM attempts a
LEFT JOIN LATERAL (
  SELECT id, executor FROM sessions WHERE attempt_id = a.id ORDER BY created_at DESC, id LIMIT 1
) s ON true
LEFT JOIN LATERAL (
  SELECT id, status, failure_summary, exit_code, stop_requested_at, run_reason, updated_at
  FROM executions WHERE attempt_id = a.id AND run_reason <> 'devserver'
  ORDER BY (status IN ('queued', 'running')) DESC, number DESC LIMIT 1
) e ON true;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP VIEW attempt_summaries, live_tasks;
DROP TABLE idempotency_keys, log_chunks, log_heads, executions, queued_messages, sessions,
        attempt_repos, attempts, tasks, repos, projects;`);
  }
}
