import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists what was deleted lately in a project, without a look at what was deleted before. */
export class FindDeletedTasks1763701870300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX tasks_deleted ON tasks (project_id, deleted_at DESC, number DESC) WHERE deleted_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX tasks_deleted');
  }
}
