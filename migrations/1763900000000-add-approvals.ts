import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Permissions that agents ask for, and the time a run may take. */
export class AddApprovals1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE approvals (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  execution_id uuid NOT NULL REFERENCES executions (id),
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  task_id uuid NOT NULL REFERENCES tasks (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  tool_name text NOT NULL,
  tool_call text,
  summary text NOT NULL,
  input jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'timed_out', 'cancelled')),
  reason text,
  answered_by text,
  created_at timestamptz(3) NOT NULL,
  timeout_at timestamptz(3) NOT NULL,
  answered_at timestamptz(3)
);
CREATE INDEX approvals_pending ON approvals (project_id, number) WHERE status = 'pending';
CREATE INDEX approvals_of_execution ON approvals (execution_id) WHERE status = 'pending';

ALTER TABLE executions ADD COLUMN timeout_secs int;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE executions DROP COLUMN timeout_secs;
DROP TABLE approvals;`);
  }
}
