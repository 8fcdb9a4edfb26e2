import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who queued a message, so that its turn is theirs, and how long it may take. Messages of before have none of it. */
export class RecordWhoQueued1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE queued_messages
  ADD COLUMN queued_by_worker_id uuid REFERENCES workers (id),
  ADD COLUMN queued_by text,
  ADD COLUMN queued_by_type text CHECK (queued_by_type IN ('human', 'agent', 'system')),
  ADD COLUMN timeout_secs integer;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE queued_messages
  DROP COLUMN queued_by_worker_id,
  DROP COLUMN queued_by,
  DROP COLUMN queued_by_type,
  DROP COLUMN timeout_secs;`);
  }
}
