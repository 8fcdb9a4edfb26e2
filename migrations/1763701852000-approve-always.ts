import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What agents of a project need not ask again. */
export class ApproveAlways1763701852000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE approval_rules');
  }
}

// The hash keeps long arguments in the index; equality is decided by the arguments themselves.
const up = `
CREATE TABLE approval_rules (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  project_id uuid NOT NULL REFERENCES projects (id),
  tool_name text NOT NULL,
  summary text NOT NULL,
  input jsonb NOT NULL,
  input_hash text NOT NULL GENERATED ALWAYS AS (md5(input::text)) STORED,
  made_by text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT approval_rules_one UNIQUE (project_id, input_hash, tool_name)
);
CREATE INDEX approval_rules_newest ON approval_rules (project_id, number DESC);`;
