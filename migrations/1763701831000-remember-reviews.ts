import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an attempt held when somebody last sent comments on it. */
export class RememberReviews1763701831000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE attempt_reviews (
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  reviewer text NOT NULL,
  marks jsonb NOT NULL,
  reviewed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT attempt_reviews_pkey PRIMARY KEY (attempt_id, reviewer)
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE attempt_reviews;');
  }
}
