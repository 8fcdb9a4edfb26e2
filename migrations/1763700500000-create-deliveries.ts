import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of the work of an attempt, one row a repository and act; pull requests as their forge last described
 *  them, and what reviewers wrote. */
export class CreateDeliveries1763700500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL,
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  kind text NOT NULL CHECK (kind IN ('merge', 'push', 'pull_request')),
  state text NOT NULL CHECK (state IN ('landing', 'merged', 'pushed', 'undoing', 'undone', 'failed')),
  strategy text CHECK (strategy IN ('squash', 'merge', 'ff', 'rebase')),
  source_commit text NOT NULL,
  target_branch text NOT NULL,
  target_before text,
  target_after text NOT NULL,
  base_before text,
  remote text,
  moved_task boolean NOT NULL DEFAULT false,
  error_code text,
  requested_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT deliveries_repo_fkey FOREIGN KEY (attempt_id, repo_id) REFERENCES attempt_repos (attempt_id, repo_id)
);
CREATE UNIQUE INDEX deliveries_one_landing ON deliveries (attempt_id, repo_id) WHERE state IN ('landing', 'undoing');
CREATE INDEX deliveries_by_attempt ON deliveries (attempt_id, number);
CREATE INDEX deliveries_by_project ON deliveries (project_id, number);
CREATE INDEX deliveries_that_closed_tasks ON deliveries (task_id) WHERE moved_task;

CREATE TABLE pull_requests (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL,
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  forge_host text NOT NULL,
  forge_repository text NOT NULL,
  pr_number int NOT NULL,
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
  quiet_polls int NOT NULL DEFAULT 0,
  next_sync_at timestamptz(3),
  synced_at timestamptz(3) NOT NULL,
  sync_error text,
  requested_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
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
  line int,
  hunk text,
  body text NOT NULL,
  url text,
  resolved boolean NOT NULL,
  outdated boolean NOT NULL,
  -- by the forge's clock
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT pull_request_comments_key UNIQUE (pull_request_id, forge_id)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pull_request_comments, pull_requests, deliveries');
  }
}
