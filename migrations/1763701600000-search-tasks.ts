import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the tasks of a project by words. */
export class SearchTasks1763701600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX tasks_by_words;
DROP FUNCTION words_of(uuid, text);`);
  }
}

// The project is one of the words, with a sign that none of the others has: the index then reads no tasks of other
// projects, however common a word is.
const up = `
CREATE FUNCTION words_of(project uuid, texts text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
  SELECT to_tsvector('pg_catalog.simple', regexp_replace(left(texts, 10000), '[[:punct:]]+', ' ', 'g'))
    || array_to_tsvector(ARRAY['@' || coalesce(project::text, '')])
$$;

CREATE INDEX tasks_by_words ON tasks USING gin (words_of(project_id, title || ' ' || coalesce(description, '')))
  WHERE deleted_at IS NULL;`;
