import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Beside the changed lines of an attempt. */
export class CountChangedFiles1763701300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attempts ADD COLUMN files_changed int;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE attempts DROP COLUMN files_changed;');
  }
}
