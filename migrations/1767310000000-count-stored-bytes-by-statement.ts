import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What one statement adds is counted once: row by row, a transaction that writes many would change one row of the
 *  sums as often, and read all its former versions each time. */
export class CountStoredBytesByStatement1767310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE OR REPLACE FUNCTION add_stored_bytes(project uuid, principal text, change bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  of_holder text;
BEGIN
  IF change = 0 THEN RETURN; END IF;
  FOREACH of_holder IN ARRAY array_remove(ARRAY['project ' || project, 'principal ' || principal], NULL) LOOP
    UPDATE stored_bytes SET bytes = bytes + change
    WHERE id = (SELECT id FROM stored_bytes WHERE holder = of_holder LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN
      INSERT INTO stored_bytes (holder, bytes) VALUES (of_holder, change);
    END IF;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION record_bytes(VARIADIC texts text[]) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT 1024 + octet_length(array_to_string(texts, ''))::bigint
$$;

CREATE FUNCTION count_added_task_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(project_id, stored_by, sum(record_bytes(title, description))::bigint)
  FROM added
  GROUP BY project_id, stored_by;
  RETURN NULL;
END $$;
DROP TRIGGER count_bytes ON tasks;
CREATE TRIGGER count_added_bytes AFTER INSERT ON tasks REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION count_added_task_bytes();
CREATE TRIGGER count_bytes AFTER UPDATE OF title, description, project_id, stored_by ON tasks
FOR EACH ROW EXECUTE FUNCTION count_task_bytes();

CREATE FUNCTION count_added_execution_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(project_id, started_by, sum(record_bytes(prompt))::bigint)
  FROM added
  GROUP BY project_id, started_by;
  RETURN NULL;
END $$;
DROP TRIGGER count_bytes ON executions;
CREATE TRIGGER count_added_bytes AFTER INSERT ON executions REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION count_added_execution_bytes();
CREATE TRIGGER count_bytes AFTER UPDATE OF status, final_message, log_bytes ON executions
FOR EACH ROW EXECUTE FUNCTION count_execution_bytes();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER count_added_bytes ON executions;
DROP TRIGGER count_bytes ON executions;
DROP FUNCTION count_added_execution_bytes();
CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF status, final_message, log_bytes ON executions
FOR EACH ROW EXECUTE FUNCTION count_execution_bytes();
DROP TRIGGER count_added_bytes ON tasks;
DROP TRIGGER count_bytes ON tasks;
DROP FUNCTION count_added_task_bytes();
CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF title, description, project_id, stored_by ON tasks
FOR EACH ROW EXECUTE FUNCTION count_task_bytes();
CREATE OR REPLACE FUNCTION record_bytes(VARIADIC texts text[]) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT 1024 + coalesce(sum(octet_length(one)), 0)::bigint FROM unnest(texts) one
$$;`);
  }
}
