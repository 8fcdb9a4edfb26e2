import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run that ended later than the last delivery may have left work. */
const DELIVERY_STATE = `,
  CASE
    WHEN e.id IS NULL THEN coalesce(a.delivery_state, 'none')
    WHEN a.delivery_state IS NULL OR e.updated_at > a.delivery_state_at THEN 'ready'
    ELSE a.delivery_state
  END AS delivery_state`;

const view = (create: string, more: string): string => `
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
  END AS state${more}
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

/** What became of the work of an attempt, one row a repository and act, and where each attempt stands by them. */
export class AddDeliveries1765000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_id uuid NOT NULL,
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  kind text NOT NULL CHECK (kind IN ('merge', 'push')),
  state text NOT NULL CHECK (state IN ('landing', 'merged', 'pushed', 'undone', 'failed')),
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
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT deliveries_repo_fkey FOREIGN KEY (attempt_id, repo_id) REFERENCES attempt_repos (attempt_id, repo_id)
);
CREATE UNIQUE INDEX deliveries_one_landing ON deliveries (attempt_id, repo_id) WHERE state = 'landing';
CREATE INDEX deliveries_by_attempt ON deliveries (attempt_id, number);
CREATE INDEX deliveries_by_project ON deliveries (project_id, number);
CREATE INDEX deliveries_that_closed_tasks ON deliveries (task_id) WHERE moved_task;

ALTER TABLE attempt_repos
  ADD COLUMN operation text CHECK (operation IN ('merge', 'rebase')),
  ADD COLUMN operation_onto text,
  ADD COLUMN delivered_head text;

-- The last state that a delivery left; null before the first.
ALTER TABLE attempts
  ADD COLUMN delivery_state text
    CHECK (delivery_state IN ('none', 'ready', 'conflicted', 'updating', 'pushed', 'merged', 'partly_delivered')),
  ADD COLUMN delivery_state_at timestamptz(3);

ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_type_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_type_check
  CHECK (entity_type IN ('task', 'project', 'worker', 'execution', 'delivery', 'token', 'caller'));

${view('CREATE OR REPLACE', DELIVERY_STATE)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP VIEW attempt_summaries;
${view('CREATE', '')}
ALTER TABLE attempts DROP COLUMN delivery_state, DROP COLUMN delivery_state_at;
ALTER TABLE attempt_repos DROP COLUMN operation, DROP COLUMN operation_onto, DROP COLUMN delivered_head;
DROP TABLE deliveries;
DELETE FROM audit_log WHERE entity_type = 'delivery';
ALTER TABLE audit_log DROP CONSTRAINT audit_log_entity_type_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_entity_type_check
  CHECK (entity_type IN ('task', 'project', 'worker', 'execution', 'token', 'caller'));`);
  }
}
