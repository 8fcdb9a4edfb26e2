import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds tasks by any mix of words and fields, newest first, however many match; and what was said about them. */
export class FindByTerms1763701840000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${EXECUTORS}
${TERMS}
${INDEXES}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX executions_failed_by_project, thoughts_by_terms, answers_by_terms, messages_by_terms, tasks_by_terms;
CREATE INDEX executions_failed ON executions (number)
  WHERE status IN ('failed', 'killed') AND run_reason <> 'devserver';
DROP FUNCTION blocks_between, task_terms, terms_of, words_of;
DROP TRIGGER note_executor ON sessions;
DROP FUNCTION note_executor();
DROP VIEW live_tasks;
ALTER TABLE tasks DROP COLUMN executors;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
CREATE FUNCTION words_of(project uuid, texts text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
  SELECT to_tsvector('pg_catalog.simple', regexp_replace(left(texts, 10000), '[[:punct:]]+', ' ', 'g'))
    || array_to_tsvector(ARRAY['@' || coalesce(project::text, '')])
$$;
CREATE INDEX tasks_by_words ON tasks USING gin (words_of(project_id, title || ' ' || coalesce(description, '')))
  WHERE deleted_at IS NULL;`);
  }
}

const EXECUTORS = `
-- All that have worked on the task, kept by the database itself.
ALTER TABLE tasks ADD COLUMN executors text[] NOT NULL DEFAULT '{}';
UPDATE tasks t SET executors = s.executors
FROM (
  SELECT a.task_id, array_agg(DISTINCT s.executor) AS executors
  FROM sessions s JOIN attempts a ON a.id = s.attempt_id
  GROUP BY a.task_id
) s
WHERE s.task_id = t.id;
CREATE OR REPLACE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;

CREATE FUNCTION note_executor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks SET executors = executors || NEW.executor
  WHERE id = (SELECT task_id FROM attempts WHERE id = NEW.attempt_id) AND NEW.executor <> ALL (executors);
  RETURN NULL;
END $$;
CREATE TRIGGER note_executor AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION note_executor();`;

const TERMS = `
DROP INDEX tasks_by_words;
DROP FUNCTION words_of(uuid, text);

CREATE FUNCTION words_of(texts text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
  SELECT to_tsvector('pg_catalog.simple', regexp_replace(left(texts, 10000), '[[:punct:]]+', ' ', 'g'))
$$;

-- Every term stands twice, behind the small block of 4096 numbers and the large one of 262144 that the record is in. A
-- search goes from block to block, newest first, and ends where it has enough: through small ones while what is common
-- would be found there, then through large ones, in which what is left is rare. What is no word has a sign that none of
-- them has. Bodies are parsed here and now, because indexes are kept without a search path.
CREATE FUNCTION terms_of(number bigint, project uuid, texts text, signs text[]) RETURNS tsvector
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT array_to_tsvector(array_agg(block || '.' || left(term, 200)))
  FROM (
    SELECT lexeme FROM unnest(words_of(texts))
    UNION ALL SELECT '@' || coalesce(project::text, '')
    UNION ALL SELECT sign FROM unnest(signs) sign WHERE sign IS NOT NULL
  ) terms (term)
  CROSS JOIN unnest(ARRAY['s' || number / 4096, 'l' || number / 262144]) block;
END;

CREATE FUNCTION blocks_between(newest bigint, oldest bigint) RETURNS SETOF text
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT 's' || small FROM generate_series(newest / 4096, greatest(oldest / 4096, (newest / 262144 - 1) * 64), -1) small
  UNION ALL
  SELECT 'l' || large FROM generate_series(newest / 262144 - 2, oldest / 262144, -1) large;
END;

CREATE FUNCTION task_terms(
  number bigint, project uuid, status text, title text, description text, priority text, assignee text,
  assignee_worker uuid, tags text[], executors text[]
) RETURNS tsvector LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT terms_of(number, project, title || ' ' || coalesce(description, ''),
    ARRAY['~' || status, '!' || priority, '>' || assignee, '>' || assignee_worker]
      || ARRAY(SELECT '#' || tag FROM unnest(tags) tag)
      || ARRAY(SELECT '&' || executor FROM unnest(executors) executor));
END;`;

const INDEXES = `
-- Without a list of pending entries, which every block would read again.
CREATE INDEX tasks_by_terms ON tasks USING gin (task_terms(number, project_id, status, title, description, priority,
  assignee_text, assignee_worker_id, tags, executors)) WITH (fastupdate = off) WHERE deleted_at IS NULL;
CREATE INDEX messages_by_terms ON executions USING gin (terms_of(number, project_id, prompt, NULL))
  WITH (fastupdate = off) WHERE run_reason = 'codingagent' AND NOT is_task_text;
CREATE INDEX answers_by_terms ON executions USING gin (terms_of(number, project_id, final_message, NULL))
  WITH (fastupdate = off) WHERE final_message IS NOT NULL;
CREATE INDEX thoughts_by_terms ON thought_records USING gin (terms_of(number, NULL, content, NULL))
  WITH (fastupdate = off);

DROP INDEX executions_failed;
-- for the inbox
CREATE INDEX executions_failed_by_project ON executions (project_id, number)
  WHERE status IN ('failed', 'killed') AND run_reason <> 'devserver';`;
