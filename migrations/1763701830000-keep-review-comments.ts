import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people say about lines of an attempt, and how far it has come. */
export class KeepReviewComments1763701830000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE review_comments;
DROP FUNCTION count_comment_bytes();`);
  }
}

// queued_as does not refer to its message: a message that is gone, however it went, was not sent
const up = `
CREATE TABLE review_comments (
  id uuid NOT NULL PRIMARY KEY,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  author text NOT NULL,
  author_id text NOT NULL,
  stored_by text NOT NULL,
  path text NOT NULL,
  side text NOT NULL CHECK (side IN ('old', 'new')),
  line int NOT NULL CHECK (line > 0),
  end_line int NOT NULL CHECK (end_line >= line),
  lines text NOT NULL,
  text text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  sent_at timestamptz(3),
  turn_job_id uuid,
  queued_as uuid
);
CREATE INDEX review_comments_of_attempt ON review_comments (attempt_id, number);
CREATE INDEX review_comments_queued ON review_comments (queued_as) WHERE queued_as IS NOT NULL;

CREATE FUNCTION count_comment_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM add_stored_bytes(OLD.project_id, OLD.stored_by, -record_bytes(OLD.path, OLD.lines, OLD.text));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM add_stored_bytes(NEW.project_id, NEW.stored_by, record_bytes(NEW.path, NEW.lines, NEW.text));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF text ON review_comments
FOR EACH ROW EXECUTE FUNCTION count_comment_bytes();`;
