import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A search of terms looks into fewer blocks, and knows which numbers each holds. */
export class WalkBySteps1763701900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP FUNCTION blocks_between;
-- Small blocks while what is common would be found there, then large ones: what 32 small ones did not have enough of is
-- rare enough to be read from a large one. Where they end within a large one, that one is asked for the rest.
CREATE FUNCTION blocks_of_walk(newest bigint, oldest bigint, OUT name text, OUT first bigint, OUT last bigint)
RETURNS SETOF record LANGUAGE sql IMMUTABLE STRICT
BEGIN ATOMIC
  SELECT 's' || small, small * 4096, least(small * 4096 + 4095, newest)
  FROM generate_series(newest / 4096, greatest(oldest / 4096, newest / 4096 - 31), -1) small
  UNION ALL
  SELECT 'l' || large, large * 262144, least(large * 262144 + 262143, (newest / 4096 - 31) * 4096 - 1)
  FROM generate_series((newest / 4096 - 32) >> 6, oldest / 262144, -1) large;
END;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP FUNCTION blocks_of_walk;
CREATE FUNCTION blocks_between(newest bigint, oldest bigint) RETURNS SETOF text
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT 's' || small FROM generate_series(newest / 4096, greatest(oldest / 4096, (newest / 262144 - 1) * 64), -1) small
  UNION ALL
  SELECT 'l' || large FROM generate_series(newest / 262144 - 2, oldest / 262144, -1) large;
END;`);
  }
}
