import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks of what a merge would leave. */
export class CheckMerges1763701960000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE check_results ADD COLUMN merged text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE check_results DROP COLUMN merged');
  }
}
