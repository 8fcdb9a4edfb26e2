import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Start-time fair queuing: the tag of each project's last turn, and how far the queue has come. */
export class ShareRunnersFairly1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE projects ADD COLUMN turn_tag bigint NOT NULL DEFAULT 0;

CREATE TABLE turn_clock (
  id smallint NOT NULL DEFAULT 1 CHECK (id = 1),
  tag bigint NOT NULL,
  CONSTRAINT turn_clock_pkey PRIMARY KEY (id)
);
INSERT INTO turn_clock (tag) VALUES (0);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE turn_clock;
ALTER TABLE projects DROP COLUMN turn_tag;`);
  }
}
