import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Work that would conflict is not ready, whether or not a merge was tried. */
export class KnowConflicts1763701910000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE attempts ADD COLUMN would_conflict boolean NOT NULL DEFAULT false;
${summaries("\n    WHEN a.would_conflict THEN 'conflicted'")}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
${summaries('')}
ALTER TABLE attempts DROP COLUMN would_conflict;`);
  }
}

/** @param conflict a further branch of the delivery state */
const summaries = (conflict: string): string => `
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
    WHEN e.updated_at <= a.delivery_state_at AND a.delivery_state <> 'ready' THEN a.delivery_state${conflict}
    WHEN e.status = 'completed' THEN 'ready'
    ELSE 'failed'
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
