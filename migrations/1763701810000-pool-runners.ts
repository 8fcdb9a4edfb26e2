import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which runners a turn may go to, and what a scaler asks. */
export class PoolRunners1763701810000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects ADD COLUMN runs_on text[] NOT NULL DEFAULT '{}';
ALTER TABLE repos ADD COLUMN runs_on text[] NOT NULL DEFAULT '{}';
ALTER TABLE runners
  ADD COLUMN labels text[] NOT NULL DEFAULT '{}',
  ADD COLUMN life text NOT NULL DEFAULT 'long' CHECK (life IN ('long', 'attempt', 'keeper'));
-- sorted, each once
ALTER TABLE turn_jobs ADD COLUMN labels text[] NOT NULL DEFAULT '{}';

-- Turns that any runner of a pool with the executor may take: those that wait for their home need no other. A scaler
-- asks as a role that may do nothing else.
CREATE VIEW waiting_turns AS
SELECT CASE WHEN labels = '{}' THEN 'default' ELSE array_to_string(labels, ',') END AS pool, executor,
  count(*)::int AS waiting
FROM turn_jobs
WHERE taken_at IS NULL AND home = ''
GROUP BY labels, executor;
GRANT SELECT ON waiting_turns TO PUBLIC;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP VIEW waiting_turns;
ALTER TABLE turn_jobs DROP COLUMN labels;
ALTER TABLE runners DROP COLUMN labels, DROP COLUMN life;
ALTER TABLE repos DROP COLUMN runs_on;
ALTER TABLE projects DROP COLUMN runs_on;`);
  }
}
