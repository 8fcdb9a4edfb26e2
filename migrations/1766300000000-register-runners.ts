import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row a process. A name that comes back is a new incarnation; the home of an attempt is a name. */
export class RegisterRunners1766300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE runners (
  runner_id text NOT NULL,
  incarnation uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('all', 'api', 'runner')),
  address text NOT NULL,
  version text NOT NULL,
  slots integer NOT NULL CHECK (slots >= 0),
  executors jsonb NOT NULL DEFAULT '[]',
  isolation text NOT NULL,
  secret_print text NOT NULL,
  is_draining boolean NOT NULL DEFAULT false,
  entered_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  left_at timestamptz(3),
  CONSTRAINT runners_pkey PRIMARY KEY (runner_id)
) WITH (fillfactor = 50);
CREATE INDEX attempts_home ON attempts (runner_id) WHERE runner_id IS NOT NULL;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX attempts_home;
DROP TABLE runners;`);
  }
}
