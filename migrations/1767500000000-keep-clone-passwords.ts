import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a URL held to log in with, sealed by the secret of the cluster: every runner makes a clone of its own. */
export class KeepClonePasswords1767500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE clone_passwords (
  repo_id uuid PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  sealed bytea NOT NULL
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE clone_passwords');
  }
}
