import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The head of every chain as it grew, written by the database itself: who may only add records can neither rewrite a
 *  chain nor cut it. Records of before keep their hash, of version 1. */
export class KeepThoughtHeads1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE thought_records
  ADD COLUMN version smallint NOT NULL DEFAULT 1,
  ADD COLUMN position bigint,
  ADD COLUMN recorded_by text;

CREATE TABLE thought_heads (
  task_id uuid NOT NULL REFERENCES tasks (id),
  position bigint NOT NULL,
  record_id uuid NOT NULL,
  hash text NOT NULL,
  CONSTRAINT thought_heads_pkey PRIMARY KEY (task_id, position),
  CONSTRAINT thought_heads_record_key UNIQUE (record_id)
);

-- With its owner's rights: the server's role has none to write here.
CREATE FUNCTION keep_thought_head() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO thought_heads (task_id, position, record_id, hash)
  SELECT NEW.task_id, coalesce(max(h.position), 0) + 1, NEW.id, NEW.hash
  FROM thought_heads h WHERE h.task_id = NEW.task_id;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_head AFTER INSERT ON thought_records
FOR EACH ROW EXECUTE FUNCTION keep_thought_head();

-- The trigger holds off writers until this transaction ends.
INSERT INTO thought_heads (task_id, position, record_id, hash)
SELECT task_id, row_number() OVER (PARTITION BY task_id ORDER BY number), id, hash
FROM thought_records;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER keep_head ON thought_records;
DROP FUNCTION keep_thought_head();
DROP TABLE thought_heads;
ALTER TABLE thought_records DROP COLUMN version, DROP COLUMN position, DROP COLUMN recorded_by;`);
  }
}
