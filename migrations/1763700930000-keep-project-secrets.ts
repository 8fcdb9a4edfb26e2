import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets for the runs of a project, sealed by the server. */
export class KeepProjectSecrets1763700930000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects ADD COLUMN required_secrets text[] NOT NULL DEFAULT '{}';
CREATE TABLE project_secrets (
  project_id uuid NOT NULL REFERENCES projects (id),
  name text NOT NULL,
  sealed bytea NOT NULL,
  expose text[] NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, name)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE project_secrets;
ALTER TABLE projects DROP COLUMN required_secrets;`);
  }
}
