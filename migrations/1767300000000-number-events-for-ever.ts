import type { MigrationInterface, QueryRunner } from 'typeorm';

const held = (number: string): string => `
CREATE OR REPLACE FUNCTION hold_event_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    'events'::regclass::oid::int, ${number}
  );
  RETURN NULL;
END $$;`;

/** A lock's key has 32 bits, an event's number 64: the lower ones tell it from all others that are open. */
export class NumberEventsForEver1767300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(held(`coalesce(pg_sequence_last_value('events_number_seq'), 0)::bit(32)::int`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(held(`coalesce(pg_sequence_last_value('events_number_seq'), 0)::int`));
  }
}
