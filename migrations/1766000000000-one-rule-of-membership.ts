import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is kept out of a project follows from the role there: one rule, in project_role. */
export class OneRuleOfMembership1766000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- For servers of the release before this one.
CREATE OR REPLACE FUNCTION is_excluded(project uuid, worker uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT project_role(project, worker) IS NULL
$$;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE OR REPLACE FUNCTION is_excluded(project uuid, worker uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT worker IS NOT NULL
    AND EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
    AND NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project AND m.worker_id = worker)
$$;`);
  }
}
