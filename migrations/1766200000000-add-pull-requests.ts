import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES = "'none', 'ready', 'conflicted', 'updating', 'pushed', 'merged', 'partly_delivered'";
const PULL_REQUEST_STATES = "'pr_open', 'pr_queued', 'pr_merged', 'pr_closed'";

const deliveryStates = (states: string): string => `
ALTER TABLE attempts DROP CONSTRAINT attempts_delivery_state_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_delivery_state_check CHECK (delivery_state IN (${states}));`;
const deliveryKinds = (kinds: string): string => `
ALTER TABLE deliveries DROP CONSTRAINT deliveries_kind_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_kind_check CHECK (kind IN (${kinds}));`;

/** A run that ended later than the last delivery may have left work; an open pull request stays what it is. */
const view = (create: string, stays: string, more: string): string => `
${create} VIEW attempt_summaries AS
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
    WHEN e.id IS NULL THEN coalesce(a.delivery_state, 'none')${stays}
    WHEN a.delivery_state IS NULL OR e.updated_at > a.delivery_state_at THEN 'ready'
    ELSE a.delivery_state
  END AS delivery_state${more}
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

const WHILE_IT_IS_OPEN = "\n    WHEN a.delivery_state IN ('pr_open', 'pr_queued') THEN a.delivery_state";

/** Pull requests as their forge last described them, and what reviewers wrote. */
export class AddPullRequests1766200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE pull_requests (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL,
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  forge_host text NOT NULL,
  forge_repository text NOT NULL,
  pr_number integer NOT NULL,
  url text NOT NULL,
  title text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'queued', 'merged', 'closed')),
  draft boolean NOT NULL,
  head_branch text NOT NULL,
  head_commit text NOT NULL,
  base_branch text NOT NULL,
  mergeability text NOT NULL CHECK (mergeability IN ('unknown', 'clean', 'conflicting', 'blocked', 'behind')),
  checks text NOT NULL CHECK (checks IN ('none', 'pending', 'passing', 'failing', 'unknown')),
  check_list jsonb NOT NULL DEFAULT '[]',
  checks_complete boolean NOT NULL DEFAULT false,
  review text NOT NULL CHECK (review IN ('none', 'approved', 'changes_requested', 'unknown')),
  review_list jsonb NOT NULL DEFAULT '[]',
  merge_commit text,
  merged_by text,
  delivery_id uuid REFERENCES deliveries (id),
  is_settled boolean NOT NULL DEFAULT false,
  quiet_polls integer NOT NULL DEFAULT 0,
  next_sync_at timestamptz(3),
  synced_at timestamptz(3) NOT NULL,
  sync_error text,
  requested_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT pull_requests_repo_fkey FOREIGN KEY (attempt_id, repo_id) REFERENCES attempt_repos (attempt_id, repo_id),
  CONSTRAINT pull_requests_forge_key UNIQUE (forge_host, forge_repository, pr_number)
);
CREATE UNIQUE INDEX pull_requests_one_open ON pull_requests (attempt_id, repo_id) WHERE state IN ('open', 'queued');
CREATE INDEX pull_requests_by_attempt ON pull_requests (attempt_id, number);
CREATE INDEX pull_requests_to_sync ON pull_requests (next_sync_at) WHERE next_sync_at IS NOT NULL;

CREATE TABLE pull_request_comments (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  pull_request_id uuid NOT NULL REFERENCES pull_requests (id),
  forge_id text NOT NULL,
  thread_id text,
  author text NOT NULL,
  trusted boolean NOT NULL,
  path text,
  line integer,
  hunk text,
  body text NOT NULL,
  url text,
  resolved boolean NOT NULL,
  outdated boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT pull_request_comments_key UNIQUE (pull_request_id, forge_id)
);

ALTER TABLE attempts ADD COLUMN pr_url text;
${deliveryStates(`${STATES}, ${PULL_REQUEST_STATES}`)}
${deliveryKinds("'merge', 'push', 'pull_request'")}
${view('CREATE OR REPLACE', WHILE_IT_IS_OPEN, ',\n  a.pr_url')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP VIEW attempt_summaries;
UPDATE attempts SET delivery_state = 'ready' WHERE delivery_state IN (${PULL_REQUEST_STATES});
ALTER TABLE attempts DROP COLUMN pr_url;
${view('CREATE', '', '')}
DROP TABLE pull_request_comments;
DROP TABLE pull_requests;
DELETE FROM deliveries WHERE kind = 'pull_request';
${deliveryStates(STATES)}
${deliveryKinds("'merge', 'push'")}`);
  }
}
