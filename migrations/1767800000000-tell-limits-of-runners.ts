import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What limits the memory and the processes of a runner's runs, told by any replica. Null where an older server wrote
 *  the row. */
export class TellLimitsOfRunners1767800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE runners ADD COLUMN limits jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE runners DROP COLUMN limits');
  }
}
