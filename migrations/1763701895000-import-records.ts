import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where imported records come from, so that none is imported twice; and which attempts are history alone. */
export class ImportRecords1763701895000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER hold_numbers ON audit_log;
DROP FUNCTION hold_audit_numbers();
DROP TABLE external_records;
ALTER TABLE attempts DROP COLUMN is_imported;
DROP INDEX projects_origin;
ALTER TABLE projects DROP COLUMN origin_system, DROP COLUMN origin_id;`);
  }
}

// A project that was deleted may be imported again; what is in a project hangs on that project, deleted or not.
// Rows of audit_log are read in the order of their numbers as those of events are: see hold_event_numbers.
const up = `
ALTER TABLE projects ADD COLUMN origin_system text, ADD COLUMN origin_id text,
  ADD CONSTRAINT projects_origin_check CHECK ((origin_system IS NULL) = (origin_id IS NULL));
CREATE UNIQUE INDEX projects_origin ON projects (origin_system, origin_id) WHERE deleted_at IS NULL;

ALTER TABLE attempts ADD COLUMN is_imported boolean NOT NULL DEFAULT false;

CREATE TABLE external_records (
  project_id uuid NOT NULL REFERENCES projects (id),
  kind text NOT NULL CHECK (
    kind IN ('repository', 'task', 'thought', 'attempt', 'session', 'turn', 'comment')
  ),
  system text NOT NULL,
  external_id text NOT NULL,
  record_id uuid NOT NULL,
  CONSTRAINT external_records_pkey PRIMARY KEY (project_id, kind, system, external_id),
  CONSTRAINT external_records_record_key UNIQUE (record_id)
);

CREATE FUNCTION hold_audit_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    'audit_log'::regclass::oid::int, coalesce(pg_sequence_last_value('audit_log_number_seq'), 0)::bit(32)::int
  );
  RETURN NULL;
END $$;
CREATE TRIGGER hold_numbers BEFORE INSERT ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION hold_audit_numbers();`;
