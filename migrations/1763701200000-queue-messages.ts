import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A session has a queue of messages, each with a turn of its own. */
export class QueueMessages1763701200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE queued_messages
  ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY,
  DROP CONSTRAINT queued_messages_pkey,
  ADD PRIMARY KEY (number);
CREATE INDEX queued_messages_of_session ON queued_messages (session_id, number);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX queued_messages_of_session;
DELETE FROM queued_messages q WHERE EXISTS (
  SELECT FROM queued_messages o WHERE o.session_id = q.session_id AND o.number > q.number
);
ALTER TABLE queued_messages
  DROP CONSTRAINT queued_messages_pkey,
  DROP COLUMN number,
  ADD PRIMARY KEY (session_id);`);
  }
}
