import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run made, and how deep attempts that runs start stand below the one that a person started. */
export class LimitAgents1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE tasks ADD COLUMN made_by_attempt_id uuid;
CREATE OR REPLACE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
ALTER TABLE attempts
  ADD COLUMN parent_attempt_id uuid REFERENCES attempts (id) ON DELETE SET NULL,
  ADD COLUMN depth smallint NOT NULL DEFAULT 0 CONSTRAINT attempts_depth CHECK (depth BETWEEN 0 AND 3);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE attempts DROP COLUMN parent_attempt_id, DROP COLUMN depth;
DROP VIEW live_tasks;
ALTER TABLE tasks DROP COLUMN made_by_attempt_id;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
`);
  }
}
