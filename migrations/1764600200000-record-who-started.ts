import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose turn it is, so that the live ones of a caller and of a project can be counted. */
export class RecordWhoStarted1764600200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE executions ADD COLUMN started_by text;
CREATE INDEX executions_live_by_project ON executions (project_id)
WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';
CREATE INDEX executions_live_by_principal ON executions (started_by)
WHERE status IN ('queued', 'running') AND run_reason <> 'devserver';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX executions_live_by_principal;
DROP INDEX executions_live_by_project;
ALTER TABLE executions DROP COLUMN started_by;`);
  }
}
