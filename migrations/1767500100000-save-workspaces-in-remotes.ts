import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Work of attempts may be saved in the remotes of their repositories; the row says where. */
export class SaveWorkspacesInRemotes1767500100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE workspace_snapshots
  ADD COLUMN remote text,
  -- why the database has it, where a remote was meant to
  ADD COLUMN remote_failure text;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_snapshots DROP COLUMN remote, DROP COLUMN remote_failure');
  }
}
