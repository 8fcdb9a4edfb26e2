import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries that wait for a person: no execution waits for the answer, and they do not expire. */
export class ApproveDeliveries1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE approvals
  ALTER COLUMN execution_id DROP NOT NULL,
  ALTER COLUMN timeout_at DROP NOT NULL,
  ADD COLUMN delivery jsonb,
  ADD COLUMN performed_at timestamptz(3),
  ADD CONSTRAINT approvals_asker_check CHECK ((execution_id IS NULL) = (delivery IS NOT NULL));
CREATE UNIQUE INDEX approvals_of_delivery ON approvals (attempt_id, tool_name)
  WHERE status = 'pending' AND delivery IS NOT NULL;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DELETE FROM approvals WHERE execution_id IS NULL;
DROP INDEX approvals_of_delivery;
ALTER TABLE approvals
  DROP CONSTRAINT approvals_asker_check,
  DROP COLUMN performed_at,
  DROP COLUMN delivery,
  ALTER COLUMN timeout_at SET NOT NULL,
  ALTER COLUMN execution_id SET NOT NULL;`);
  }
}
