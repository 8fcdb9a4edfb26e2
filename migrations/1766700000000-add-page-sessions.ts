import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People at the page: each session holds what its credential allowed, and ends with it. */
export class AddPageSessions1766700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE page_sessions (
  id uuid PRIMARY KEY,
  secret_hash bytea NOT NULL,
  principal jsonb NOT NULL,
  -- null: of a credential that no row knows
  service_token_id uuid REFERENCES service_tokens (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT page_sessions_secret_key UNIQUE (secret_hash)
);
CREATE INDEX page_sessions_by_end ON page_sessions (expires_at);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE page_sessions');
  }
}
