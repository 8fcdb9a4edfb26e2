import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A deleted task can be restored for a day, in which nothing of it is taken away. */
export class KeepDeletedTasks1763701851000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW kept_tasks');
  }
}

const up = `
CREATE VIEW kept_tasks AS
SELECT t.id FROM tasks t
WHERE t.deleted_at IS NULL
  OR (t.deleted_at > now() - interval '24 hours'
    AND (t.project_id IS NULL OR EXISTS (SELECT FROM projects p WHERE p.id = t.project_id AND p.deleted_at IS NULL)));`;
