import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much is stored for whom, kept by the database itself with every write. */
export class CountStoredBytes1763700800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${COUNTERS}
${COUNT_RECORDS}
${COUNT_RUNS}
${COUNT_SAVED_WORK}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP FUNCTION count_added_task_bytes(), count_task_bytes(), count_project_bytes(), count_repo_bytes(),
  count_added_execution_bytes(), count_execution_bytes(), measure_log(), count_approval_bytes(),
  count_snapshot_bytes() CASCADE;
DROP FUNCTION stored_bytes_of(uuid, text), add_stored_bytes(uuid, text, bigint), record_bytes(text[]);
DROP TABLE stored_bytes;`);
  }
}

const COUNTERS = `
-- A sum is the sum of its rows: a writer adds to one that nobody holds, else makes a further one, so that no writer
-- waits for another.
CREATE TABLE stored_bytes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  holder text NOT NULL,
  bytes bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX stored_bytes_of_holder ON stored_bytes (holder);

CREATE FUNCTION add_stored_bytes(project uuid, principal text, change bigint) RETURNS void LANGUAGE plpgsql AS $$
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

-- Of a project or of a principal.
CREATE FUNCTION stored_bytes_of(project uuid, principal text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(bytes), 0)::bigint FROM stored_bytes
  WHERE holder = coalesce('project ' || project, 'principal ' || principal)
$$;

-- A record counts 1 KiB beside its texts, for what else is in it and for what is written down about it.
CREATE FUNCTION record_bytes(VARIADIC texts text[]) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT 1024 + octet_length(array_to_string(texts, ''))::bigint
$$;`;

const COUNT_RECORDS = `
-- What one statement adds is counted once: row by row, a transaction that writes many would change one row of the sums
-- as often, and read all its former versions each time.
CREATE FUNCTION count_added_task_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(project_id, stored_by, sum(record_bytes(title, description))::bigint)
  FROM added
  GROUP BY project_id, stored_by;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_bytes AFTER INSERT ON tasks REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION count_added_task_bytes();

-- Thought records, whose columns are all under the hash, are counted by the server that writes them.
CREATE FUNCTION count_task_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  thought record;
BEGIN
  PERFORM add_stored_bytes(OLD.project_id, OLD.stored_by, -record_bytes(OLD.title, OLD.description));
  PERFORM add_stored_bytes(NEW.project_id, NEW.stored_by, record_bytes(NEW.title, NEW.description));
  IF OLD.project_id IS DISTINCT FROM NEW.project_id THEN
    SELECT coalesce(sum(record_bytes(content, agent_id, session_id)), 0)::bigint AS bytes INTO thought
    FROM thought_records WHERE task_id = NEW.id;
    PERFORM add_stored_bytes(OLD.project_id, NULL, -thought.bytes);
    PERFORM add_stored_bytes(NEW.project_id, NULL, thought.bytes);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER UPDATE OF title, description, project_id, stored_by ON tasks
FOR EACH ROW EXECUTE FUNCTION count_task_bytes();

CREATE FUNCTION count_project_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM add_stored_bytes(OLD.id, OLD.stored_by, -record_bytes(OLD.name, OLD.description));
  END IF;
  PERFORM add_stored_bytes(NEW.id, NEW.stored_by, record_bytes(NEW.name, NEW.description));
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF name, description, stored_by ON projects
FOR EACH ROW EXECUTE FUNCTION count_project_bytes();

CREATE FUNCTION count_repo_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner text;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    SELECT stored_by INTO owner FROM projects WHERE id = OLD.project_id;
    PERFORM add_stored_bytes(OLD.project_id, owner, -record_bytes(OLD.setup_script, OLD.cleanup_script));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    SELECT stored_by INTO owner FROM projects WHERE id = NEW.project_id;
    PERFORM add_stored_bytes(NEW.project_id, owner, record_bytes(NEW.setup_script, NEW.cleanup_script));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF setup_script, cleanup_script ON repos
FOR EACH ROW EXECUTE FUNCTION count_repo_bytes();`;

const COUNT_RUNS = `
CREATE FUNCTION count_added_execution_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(project_id, started_by, sum(record_bytes(prompt))::bigint)
  FROM added
  GROUP BY project_id, started_by;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_bytes AFTER INSERT ON executions REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION count_added_execution_bytes();

-- What was logged since the last execution of the attempt ended.
CREATE FUNCTION measure_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.log_bytes := greatest(0, coalesce((SELECT sum(bytes) FROM log_heads WHERE attempt_id = NEW.attempt_id), 0)
    - coalesce((SELECT sum(log_bytes) FROM executions WHERE attempt_id = NEW.attempt_id AND id <> NEW.id), 0));
  RETURN NEW;
END $$;
CREATE TRIGGER measure_log BEFORE UPDATE OF status ON executions FOR EACH ROW
WHEN (OLD.status IN ('queued', 'running') AND NEW.status NOT IN ('queued', 'running'))
EXECUTE FUNCTION measure_log();

-- A prompt never changes.
CREATE FUNCTION count_execution_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(NEW.project_id, NEW.started_by,
    NEW.log_bytes - OLD.log_bytes
    + coalesce(octet_length(NEW.final_message), 0) - coalesce(octet_length(OLD.final_message), 0));
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER UPDATE OF status, final_message, log_bytes ON executions
FOR EACH ROW EXECUTE FUNCTION count_execution_bytes();

CREATE FUNCTION count_approval_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  approval approvals;
BEGIN
  IF TG_OP = 'DELETE' THEN approval := OLD; ELSE approval := NEW; END IF;
  PERFORM add_stored_bytes(
    approval.project_id,
    (SELECT started_by FROM executions WHERE id = approval.execution_id),
    CASE WHEN TG_OP = 'DELETE' THEN -1 ELSE 1 END * record_bytes(approval.summary, approval.input::text)
  );
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE ON approvals
FOR EACH ROW EXECUTE FUNCTION count_approval_bytes();`;

const COUNT_SAVED_WORK = `
CREATE FUNCTION count_snapshot_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  project uuid;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    SELECT project_id INTO project FROM attempts WHERE id = OLD.attempt_id;
    PERFORM add_stored_bytes(project, OLD.stored_by, -OLD.bytes);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    SELECT project_id INTO project FROM attempts WHERE id = NEW.attempt_id;
    PERFORM add_stored_bytes(project, NEW.stored_by, NEW.bytes);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF bytes, stored_by ON workspace_snapshots
FOR EACH ROW EXECUTE FUNCTION count_snapshot_bytes();
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF bytes, stored_by ON agent_session_files
FOR EACH ROW EXECUTE FUNCTION count_snapshot_bytes();`;
