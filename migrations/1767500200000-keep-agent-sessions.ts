import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The conversation of an agent as it keeps it itself, so that it can go on with it on another runner. */
export class KeepAgentSessions1767500200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE agent_session_files (
  session_id uuid PRIMARY KEY REFERENCES sessions (id),
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  agent_session_id text NOT NULL,
  -- below the folder of the agent's state
  path text NOT NULL,
  -- compressed
  content bytea NOT NULL,
  bytes integer NOT NULL,
  fingerprint text NOT NULL,
  saved_by text NOT NULL,
  saved_at timestamptz(3) NOT NULL,
  stored_by text
);
CREATE INDEX agent_session_files_by_attempt ON agent_session_files (attempt_id);
ALTER TABLE agent_session_files ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF bytes, stored_by ON agent_session_files
FOR EACH ROW EXECUTE FUNCTION count_snapshot_bytes();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_session_files');
  }
}
