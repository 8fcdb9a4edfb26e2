import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much is stored for whom, kept by the database itself with every write. */
export class CountStoredBytes1766800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${COUNTERS}
${WHO_STORES}
${COUNT_RECORDS}
${COUNT_RUNS}
${COUNT_WHAT_IS_HERE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER count_bytes ON tasks;
DROP TRIGGER count_bytes ON projects;
DROP TRIGGER count_bytes ON repos;
DROP TRIGGER count_bytes ON approvals;
DROP TRIGGER count_bytes ON executions;
DROP TRIGGER count_bytes ON workspace_snapshots;
DROP TRIGGER measure_log ON executions;
DROP FUNCTION count_task_bytes(), count_project_bytes(), count_repo_bytes(),
  count_approval_bytes(), count_execution_bytes(), count_snapshot_bytes(), measure_log();
DROP VIEW live_tasks;
ALTER TABLE tasks DROP COLUMN stored_by;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
ALTER TABLE projects DROP COLUMN stored_by;
ALTER TABLE workspace_snapshots DROP COLUMN stored_by;
ALTER TABLE queued_messages DROP COLUMN charged_to;
ALTER TABLE executions DROP COLUMN log_bytes;
ALTER TABLE log_heads DROP COLUMN bytes;
DROP FUNCTION stored_bytes_of(uuid, text);
DROP FUNCTION add_stored_bytes(uuid, text, bigint);
DROP FUNCTION record_bytes(text[]);
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
  free bigint;
BEGIN
  IF change = 0 THEN RETURN; END IF;
  FOREACH of_holder IN ARRAY array_remove(ARRAY['project ' || project, 'principal ' || principal], NULL) LOOP
    SELECT id INTO free FROM stored_bytes WHERE holder = of_holder LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF free IS NULL THEN
      INSERT INTO stored_bytes (holder, bytes) VALUES (of_holder, change);
    ELSE
      UPDATE stored_bytes SET bytes = bytes + change WHERE id = free;
    END IF;
  END LOOP;
END $$;

-- Of a project or of a principal.
CREATE FUNCTION stored_bytes_of(project uuid, principal text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(bytes), 0)::bigint FROM stored_bytes
  WHERE holder = coalesce('project ' || project, 'principal ' || principal)
$$;

-- A record counts 1 KiB beside its texts, for what else is in it and for what is written down about it.
CREATE FUNCTION record_bytes(VARIADIC texts text[]) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT 1024 + coalesce(sum(octet_length(one)), 0)::bigint FROM unnest(texts) one
$$;`;

const WHO_STORES = `
-- The principal whose room a record takes; null for what older releases wrote, which counts for its project alone.
ALTER TABLE tasks ADD COLUMN stored_by text;
CREATE OR REPLACE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
ALTER TABLE projects ADD COLUMN stored_by text;
ALTER TABLE workspace_snapshots ADD COLUMN stored_by text;
ALTER TABLE queued_messages ADD COLUMN charged_to text;
-- Of all executions of the attempt together; an execution gets its part when it ends.
ALTER TABLE log_heads ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN log_bytes bigint NOT NULL DEFAULT 0;`;

const COUNT_RECORDS = `
-- Thought records, whose columns are all under the hash, are counted by the server that writes them.
CREATE FUNCTION count_task_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  thought record;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM add_stored_bytes(OLD.project_id, OLD.stored_by, -record_bytes(OLD.title, OLD.description));
  END IF;
  PERFORM add_stored_bytes(NEW.project_id, NEW.stored_by, record_bytes(NEW.title, NEW.description));
  IF TG_OP = 'UPDATE' AND OLD.project_id IS DISTINCT FROM NEW.project_id THEN
    SELECT coalesce(sum(record_bytes(content, agent_id, session_id)), 0)::bigint AS bytes INTO thought
    FROM thought_records WHERE task_id = NEW.id;
    PERFORM add_stored_bytes(OLD.project_id, NULL, -thought.bytes);
    PERFORM add_stored_bytes(NEW.project_id, NULL, thought.bytes);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF title, description, project_id, stored_by ON tasks
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
  IF TG_OP = 'INSERT' THEN
    PERFORM add_stored_bytes(NEW.project_id, NEW.started_by, record_bytes(NEW.prompt));
  ELSE
    PERFORM add_stored_bytes(NEW.project_id, NEW.started_by,
      NEW.log_bytes - OLD.log_bytes
      + coalesce(octet_length(NEW.final_message), 0) - coalesce(octet_length(OLD.final_message), 0));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bytes AFTER INSERT OR UPDATE OF status, final_message, log_bytes ON executions
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
FOR EACH ROW EXECUTE FUNCTION count_approval_bytes();

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
FOR EACH ROW EXECUTE FUNCTION count_snapshot_bytes();`;

const COUNT_WHAT_IS_HERE = `
-- The triggers hold off writers until this transaction ends: what is here now is counted once. Of logs the size on
-- disk, which reads none of them.
UPDATE log_heads h SET bytes = c.bytes
FROM (SELECT attempt_id, channel, sum(pg_column_size(entries)) AS bytes FROM log_chunks GROUP BY 1, 2) c
WHERE c.attempt_id = h.attempt_id AND c.channel = h.channel;
ALTER TABLE executions DISABLE TRIGGER count_bytes;
UPDATE executions e SET log_bytes = c.bytes
FROM (SELECT execution_id, sum(pg_column_size(entries)) AS bytes FROM log_chunks GROUP BY 1) c
WHERE c.execution_id = e.id AND e.status NOT IN ('queued', 'running');
ALTER TABLE executions ENABLE TRIGGER count_bytes;

INSERT INTO stored_bytes (holder, bytes)
SELECT 'project ' || project_id, sum(bytes)
FROM (
  SELECT project_id, record_bytes(title, description) AS bytes FROM tasks
  UNION ALL SELECT id, record_bytes(name, description) FROM projects
  UNION ALL SELECT project_id, record_bytes(setup_script, cleanup_script) FROM repos
  UNION ALL SELECT t.project_id, record_bytes(r.content, r.agent_id, r.session_id)
    FROM thought_records r JOIN tasks t ON t.id = r.task_id
  UNION ALL SELECT project_id, record_bytes(prompt, final_message) + log_bytes FROM executions
  UNION ALL SELECT project_id, record_bytes(summary, input::text) FROM approvals
  UNION ALL SELECT a.project_id, s.bytes FROM workspace_snapshots s JOIN attempts a ON a.id = s.attempt_id
) stored
WHERE project_id IS NOT NULL
GROUP BY project_id;

INSERT INTO stored_bytes (holder, bytes)
SELECT 'principal ' || started_by, sum(bytes)
FROM (
  SELECT started_by, record_bytes(prompt, final_message) + log_bytes AS bytes FROM executions
  UNION ALL SELECT e.started_by, record_bytes(a.summary, a.input::text)
    FROM approvals a JOIN executions e ON e.id = a.execution_id
) stored
WHERE started_by IS NOT NULL
GROUP BY started_by;`;
