import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that wait can be changed, dropped and sent one by one. */
export class NameQueuedMessages1763701850000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE queued_messages
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN goes_first boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT queued_messages_id_key UNIQUE (id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE queued_messages DROP COLUMN id, DROP COLUMN goes_first');
  }
}
