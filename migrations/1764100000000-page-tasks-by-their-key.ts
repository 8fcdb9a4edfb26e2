import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The lists of tasks compare whole keys as rows, which an index serves only where all its columns run the same way. */
export class PageTasksByTheirKey1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX tasks_newest, tasks_newest_by_status;
CREATE INDEX tasks_newest ON tasks (project_id, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_newest_by_status ON tasks (project_id, status, number) WHERE deleted_at IS NULL;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX tasks_newest, tasks_newest_by_status;
CREATE INDEX tasks_newest ON tasks (project_id, number DESC) WHERE deleted_at IS NULL;
CREATE INDEX tasks_newest_by_status ON tasks (project_id, status, number DESC) WHERE deleted_at IS NULL;`);
  }
}
