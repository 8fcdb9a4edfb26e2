import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What changed on the boards, in the transaction of each change.
 *
 *  Numbers are handed out before their transactions end, so that a row may appear below one that was read already.
 *  Whoever is about to take numbers therefore holds a shared lock that names the last one taken before, until it has
 *  ended: what lies beyond the smallest of these is not read yet. Nobody waits for that lock; it is seen in pg_locks.
 *  Once a statement, not a row: a transaction can hold some thousands of locks, no more. */
export class AddEvents1766600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE events (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id uuid,
  type text NOT NULL,
  subject uuid NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX events_by_project ON events (project_id, number);

CREATE FUNCTION hold_event_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    'events'::regclass::oid::int, coalesce(pg_sequence_last_value('events_number_seq'), 0)::int
  );
  RETURN NULL;
END $$;
CREATE TRIGGER hold_numbers BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION hold_event_numbers();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE events;
DROP FUNCTION hold_event_numbers();`);
  }
}
