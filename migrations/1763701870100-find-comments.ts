import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what people said about lines of an attempt, in place of the records of agents. */
export class FindComments1763701870100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX thoughts_by_terms;
CREATE INDEX comments_by_terms ON review_comments USING gin (terms_of(number, project_id, text, NULL))
  WITH (fastupdate = off);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX comments_by_terms;
CREATE INDEX thoughts_by_terms ON thought_records USING gin (terms_of(number, NULL, content, NULL))
  WITH (fastupdate = off);`);
  }
}
