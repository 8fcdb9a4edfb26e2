import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What runs of a project reach, what they were refused, and what they ask for. */
export class WallNetworks1763701000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects
  ADD COLUMN network text NOT NULL DEFAULT 'open' CHECK (network IN ('open', 'listed', 'none')),
  ADD COLUMN allowed_hosts text[] NOT NULL DEFAULT '{}',
  ADD COLUMN presets text[] NOT NULL DEFAULT '{model}';
ALTER TABLE approvals
  ADD COLUMN requested_host text,
  ADD COLUMN granted_for text CHECK (granted_for IN ('run', 'project'));
CREATE UNIQUE INDEX approvals_one_open_host ON approvals (execution_id, requested_host)
  WHERE status = 'pending' AND requested_host IS NOT NULL;
CREATE TABLE network_denials (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  host text NOT NULL,
  port int NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (attempt_id, host, port)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE network_denials;
ALTER TABLE approvals DROP COLUMN requested_host, DROP COLUMN granted_for;
ALTER TABLE projects DROP COLUMN network, DROP COLUMN allowed_hosts, DROP COLUMN presets;`);
  }
}
