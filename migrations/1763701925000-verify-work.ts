import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a project asks of work before it is delivered, and what it does about failures by itself. */
export class VerifyWork1763701925000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects
  ADD COLUMN checks text NOT NULL DEFAULT 'off' CHECK (checks IN ('off', 'warn', 'block')),
  ADD COLUMN check_on text NOT NULL DEFAULT 'turn_end' CHECK (check_on IN ('turn_end', 'delivery', 'request')),
  ADD COLUMN fix_rounds smallint NOT NULL DEFAULT 2 CHECK (fix_rounds BETWEEN 0 AND 10),
  ADD COLUMN review jsonb,
  ADD COLUMN retries jsonb NOT NULL DEFAULT '{"transient": true, "infra": true, "quota": false}';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects
  DROP COLUMN checks, DROP COLUMN check_on, DROP COLUMN fix_rounds, DROP COLUMN review, DROP COLUMN retries;`);
  }
}
