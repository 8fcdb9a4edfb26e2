import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last saved work of each attempt, one row a repository. Bundles are packed already: to compress them once more
 *  is work for nothing. */
export class SaveWorkspaces1766400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE workspace_snapshots (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  repo_name text NOT NULL,
  base_commit text NOT NULL,
  head text NOT NULL,
  work text,
  bundle bytea,
  bytes integer NOT NULL,
  is_too_large boolean NOT NULL,
  fingerprint text NOT NULL,
  saved_by text NOT NULL,
  saved_at timestamptz(3) NOT NULL,
  CONSTRAINT workspace_snapshots_pkey PRIMARY KEY (attempt_id, repo_name)
);
ALTER TABLE workspace_snapshots ALTER COLUMN bundle SET STORAGE EXTERNAL;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_snapshots');
  }
}
