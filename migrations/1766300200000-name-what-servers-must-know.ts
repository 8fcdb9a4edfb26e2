import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Migrations that a server must know to serve this schema: a release that drops what an older one needs names itself
 *  here, and the older server says that it is too old. Until then old and new ones live side by side. */
export class NameWhatServersMustKnow1766300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE schema_needs (
  migration text NOT NULL,
  CONSTRAINT schema_needs_pkey PRIMARY KEY (migration)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schema_needs');
  }
}
