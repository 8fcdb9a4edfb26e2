import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Attempts and their sessions, with the work that is saved of them. */
export class CreateAttempts1763700300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${ATTEMPTS}
${SESSIONS}
${SAVED_WORK}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE agent_session_files, workspace_snapshots, queued_messages, sessions, attempt_repos, attempts;`);
  }
}

const ATTEMPTS = `
CREATE TABLE attempts (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  parent_attempt_id uuid REFERENCES attempts (id) ON DELETE SET NULL,
  -- below the attempt that a person started
  depth smallint NOT NULL DEFAULT 0 CONSTRAINT attempts_depth CHECK (depth BETWEEN 0 AND 3),
  branch text NOT NULL,
  workspace_state text NOT NULL DEFAULT 'preparing'
    CHECK (workspace_state IN ('preparing', 'ready', 'lost', 'removed')),
  -- its home
  runner_id text,
  -- what the last delivery left; null before the first
  delivery_state text CHECK (delivery_state IN ('none', 'ready', 'conflicted', 'updating', 'pushed', 'merged',
    'partly_delivered', 'pr_open', 'pr_queued', 'pr_merged', 'pr_closed')),
  delivery_state_at timestamptz(3),
  pr_url text,
  lines_added int,
  lines_deleted int,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX attempts_newest ON attempts (task_id, created_at DESC, id);
CREATE INDEX attempts_home ON attempts (runner_id) WHERE runner_id IS NOT NULL;

CREATE TABLE attempt_repos (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL CONSTRAINT attempt_repos_repo_fkey REFERENCES repos (id),
  position int NOT NULL,
  repo_name text NOT NULL,
  repo_path text NOT NULL,
  target_branch text NOT NULL,
  base_commit text,
  operation text CHECK (operation IN ('merge', 'rebase')),
  operation_onto text,
  delivered_head text,
  PRIMARY KEY (attempt_id, repo_id)
);
CREATE INDEX attempt_repos_by_repo ON attempt_repos (repo_id);`;

const SESSIONS = `
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  executor text NOT NULL,
  variant text,
  agent_session_id text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX sessions_newest ON sessions (attempt_id, created_at DESC, id);

CREATE TABLE queued_messages (
  session_id uuid PRIMARY KEY REFERENCES sessions (id),
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  prompt text NOT NULL,
  variant text,
  timeout_secs int,
  queued_by_worker_id uuid REFERENCES workers (id),
  queued_by text NOT NULL,
  queued_by_type text NOT NULL CHECK (queued_by_type IN ('human', 'agent', 'system')),
  -- whose limits its turn counts for
  charged_to text,
  queued_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX queued_messages_by_attempt ON queued_messages (attempt_id);`;

const SAVED_WORK = `
-- The last saved work of each attempt, one row a repository. Bundles and conversations are packed already: to compress
-- them once more is work for nothing.
CREATE TABLE workspace_snapshots (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_name text NOT NULL,
  base_commit text NOT NULL,
  head text NOT NULL,
  work text,
  bundle bytea,
  bytes int NOT NULL,
  is_too_large boolean NOT NULL,
  fingerprint text NOT NULL,
  remote text,
  -- why the database has it, where a remote was meant to
  remote_failure text,
  stored_by text,
  saved_by text NOT NULL,
  saved_at timestamptz(3) NOT NULL,
  CONSTRAINT workspace_snapshots_pkey PRIMARY KEY (attempt_id, repo_name)
);
ALTER TABLE workspace_snapshots ALTER COLUMN bundle SET STORAGE EXTERNAL;

-- The conversation of an agent as it keeps it itself, so that it can go on with it on another runner.
CREATE TABLE agent_session_files (
  session_id uuid PRIMARY KEY REFERENCES sessions (id),
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  agent_session_id text NOT NULL,
  -- below the folder of the agent's state
  path text NOT NULL,
  -- compressed
  content bytea NOT NULL,
  bytes int NOT NULL,
  fingerprint text NOT NULL,
  stored_by text,
  saved_by text NOT NULL,
  saved_at timestamptz(3) NOT NULL
);
CREATE INDEX agent_session_files_by_attempt ON agent_session_files (attempt_id);
ALTER TABLE agent_session_files ALTER COLUMN content SET STORAGE EXTERNAL;`;
