import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is noted of sessions that come together is noted at once: an import adds hundreds in a statement, and each
 *  statement on tasks counts them anew. */
export class NoteExecutorsTogether1763701920000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER note_executor ON sessions;
DROP FUNCTION note_executor();
CREATE FUNCTION note_executors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks t
  SET executors = t.executors || ARRAY(SELECT unnest(n.executors) EXCEPT SELECT unnest(t.executors) ORDER BY 1)
  FROM (
    SELECT a.task_id, array_agg(DISTINCT s.executor) AS executors
    FROM added s
    JOIN attempts a ON a.id = s.attempt_id
    GROUP BY a.task_id
  ) n
  WHERE t.id = n.task_id AND NOT n.executors <@ t.executors;
  RETURN NULL;
END $$;
CREATE TRIGGER note_executors AFTER INSERT ON sessions REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_executors();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER note_executors ON sessions;
DROP FUNCTION note_executors();
CREATE FUNCTION note_executor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks SET executors = executors || NEW.executor
  WHERE id = (SELECT task_id FROM attempts WHERE id = NEW.attempt_id) AND NEW.executor <> ALL (executors);
  RETURN NULL;
END $$;
CREATE TRIGGER note_executor AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION note_executor();`);
  }
}
