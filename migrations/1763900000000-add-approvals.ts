import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Permissions that agents ask for, the token of a running agent, the time a run may take, and what becomes of its changes. */
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

ALTER TABLE executions ADD COLUMN agent_token_hash text, ADD COLUMN timeout_secs int;
CREATE INDEX executions_by_agent_token ON executions (agent_token_hash) WHERE status = 'running' AND agent_token_hash IS NOT NULL;
ALTER TABLE projects ADD COLUMN auto_commit text NOT NULL DEFAULT 'off' CHECK (auto_commit IN ('off', 'per_turn'));
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects DROP COLUMN auto_commit;
ALTER TABLE executions DROP COLUMN agent_token_hash, DROP COLUMN timeout_secs;
DROP TABLE approvals;`);
  }
}
