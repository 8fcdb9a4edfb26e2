import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an agent is let in with while it runs, and whether its work is committed after a turn. */
export class AddRunTokensAndAutoCommit1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE executions ADD COLUMN token_hash bytea;
CREATE UNIQUE INDEX executions_by_token ON executions (token_hash) WHERE status = 'running' AND token_hash IS NOT NULL;

ALTER TABLE projects ADD COLUMN auto_commit text NOT NULL DEFAULT 'off' CHECK (auto_commit IN ('off', 'per_turn'));
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects DROP COLUMN auto_commit;
ALTER TABLE executions DROP COLUMN token_hash;`);
  }
}
