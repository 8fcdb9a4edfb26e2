import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People and agents as workers, membership, what TaskFlow and Colibri know of a task, and the audit of it all. */
export class AddWorkersAndAudit1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE workers (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  handle text NOT NULL CONSTRAINT workers_handle_key UNIQUE CHECK (handle ~ '^@[a-z0-9_-]{1,49}$'),
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('human', 'agent')),
  user_id text CONSTRAINT workers_user_key UNIQUE,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

CREATE TABLE project_members (
  project_id uuid NOT NULL REFERENCES projects (id),
  worker_id uuid NOT NULL REFERENCES workers (id),
  role text NOT NULL CHECK (role IN ('owner', 'member')),
  joined_at timestamptz(3) NOT NULL,
  CONSTRAINT project_members_pkey PRIMARY KEY (project_id, worker_id)
);
CREATE INDEX project_members_by_worker ON project_members (worker_id);

-- Whether a project keeps a worker out: it has members, and the worker is none of them. No worker is never kept out.
CREATE FUNCTION keeps_out(project uuid, worker uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT worker IS NOT NULL AND EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
    AND NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project AND m.worker_id = worker)
$$;

DROP VIEW live_tasks;
ALTER TABLE tasks
  ADD COLUMN parent_task_id uuid REFERENCES tasks (id),
  ADD COLUMN assignee_worker_id uuid REFERENCES workers (id),
  ADD COLUMN assignee_text text,
  ADD COLUMN created_by_worker_id uuid REFERENCES workers (id),
  ADD COLUMN priority text,
  ADD COLUMN progress_percent int NOT NULL DEFAULT 0 CHECK (progress_percent BETWEEN 0 AND 100),
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  ADD COLUMN due_date timestamptz(3),
  ADD COLUMN started_at timestamptz(3),
  ADD COLUMN completed_at timestamptz(3),
  ADD COLUMN taskflow_status text NOT NULL GENERATED ALWAYS AS (CASE
    WHEN stage = 'DONE' THEN 'completed' WHEN stage = 'CANCELLED' THEN 'cancelled' WHEN is_blocked THEN 'blocked'
    WHEN stage = 'INIT' THEN 'pending' WHEN stage = 'VERIFY' THEN 'review' ELSE 'in_progress' END) STORED;
CREATE INDEX tasks_children ON tasks (parent_task_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_taskflow_status ON tasks (project_id, taskflow_status, number DESC) WHERE deleted_at IS NULL;
CREATE INDEX tasks_in_order ON tasks (number) WHERE deleted_at IS NULL;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;

CREATE TABLE audit_log (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entity_type text NOT NULL CHECK (entity_type IN ('task', 'project', 'worker', 'execution')),
  entity_id uuid NOT NULL,
  task_id uuid,
  project_id uuid,
  action text NOT NULL,
  actor_worker_id uuid,
  actor text NOT NULL,
  actor_type text NOT NULL CHECK (actor_type IN ('human', 'agent', 'system')),
  details jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX audit_log_by_task ON audit_log (task_id, number DESC);
CREATE INDEX audit_log_by_project ON audit_log (project_id, number DESC);

CREATE TABLE thought_records (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  task_id uuid NOT NULL REFERENCES tasks (id),
  type text NOT NULL CHECK (type IN ('plan', 'analysis', 'decision', 'reflection')),
  agent_id text NOT NULL,
  content text NOT NULL,
  session_id text,
  timestamp text NOT NULL,
  prev_hash text NOT NULL,
  hash text NOT NULL
);
CREATE INDEX thought_records_of_task ON thought_records (task_id, number);

CREATE TABLE tool_invocations (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  toolset text NOT NULL,
  tool text NOT NULL,
  principal_id text NOT NULL,
  actor text NOT NULL,
  code text,
  duration_ms real NOT NULL,
  called_at timestamptz(3) NOT NULL
);
CREATE INDEX tool_invocations_by_tool ON tool_invocations (toolset, tool, called_at);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE tool_invocations, thought_records, audit_log;
DROP VIEW live_tasks;
ALTER TABLE tasks DROP COLUMN parent_task_id, DROP COLUMN assignee_worker_id,
        DROP COLUMN assignee_text, DROP COLUMN created_by_worker_id, DROP COLUMN priority,
  DROP COLUMN progress_percent, DROP COLUMN tags, DROP COLUMN due_date,
        DROP COLUMN started_at, DROP COLUMN completed_at, DROP COLUMN taskflow_status;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
DROP FUNCTION keeps_out(uuid, uuid);
DROP TABLE project_members, workers;`);
  }
}
