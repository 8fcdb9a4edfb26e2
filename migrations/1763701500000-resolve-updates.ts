import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An agent resolves the update of its branch, which the server then completes; and its plan is at hand. */
export class ResolveUpdates1763701500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE attempts ADD COLUMN resolving boolean NOT NULL DEFAULT false;
CREATE INDEX attempts_resolving ON attempts (number) WHERE resolving;
ALTER TABLE log_heads ADD COLUMN plan jsonb;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attempts DROP COLUMN resolving; ALTER TABLE log_heads DROP COLUMN plan;');
  }
}
