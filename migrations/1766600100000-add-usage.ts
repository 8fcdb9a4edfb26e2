import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run has cost, as far as its agent says: null is not 0. And how much an attempt has changed, for its card. */
export class AddUsage1766600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE executions
  ADD COLUMN input_tokens bigint,
  ADD COLUMN cached_input_tokens bigint,
  ADD COLUMN output_tokens bigint,
  ADD COLUMN cost_usd double precision;
CREATE INDEX executions_with_usage ON executions (project_id, completed_at)
  WHERE input_tokens IS NOT NULL OR output_tokens IS NOT NULL OR cost_usd IS NOT NULL;

ALTER TABLE attempts
  ADD COLUMN lines_added int,
  ADD COLUMN lines_deleted int;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE attempts DROP COLUMN lines_added, DROP COLUMN lines_deleted;
ALTER TABLE executions
  DROP COLUMN input_tokens, DROP COLUMN cached_input_tokens, DROP COLUMN output_tokens, DROP COLUMN cost_usd;`);
  }
}
