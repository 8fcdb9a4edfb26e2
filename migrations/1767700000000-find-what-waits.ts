import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The newest failures of all projects, for the inbox. */
export class FindWhatWaits1767700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE INDEX executions_failed ON executions (number)
  WHERE status IN ('failed', 'killed') AND run_reason <> 'devserver';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX executions_failed');
  }
}
