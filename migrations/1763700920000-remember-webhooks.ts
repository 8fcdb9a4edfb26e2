import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries of forges that were taken, so that none rings twice. */
export class RememberWebhooks1763700920000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE webhook_bodies (
  digest bytea PRIMARY KEY,
  received_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX webhook_bodies_by_age ON webhook_bodies (received_at);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_bodies;');
  }
}
