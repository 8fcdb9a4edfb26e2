import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of people who signed in by the identity provider: whose they are there, and what renews them. */
export class SignInByProvider1763701700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE heard_logouts;
DROP INDEX page_sessions_to_renew, page_sessions_by_person;
ALTER TABLE page_sessions DROP COLUMN person, DROP COLUMN provider_session, DROP COLUMN tokens, DROP COLUMN renew_at;`);
  }
}

// person is issuer|subject; tokens are sealed
const up = `
ALTER TABLE page_sessions
  ADD COLUMN person text,
  ADD COLUMN provider_session text,
  ADD COLUMN tokens bytea,
  ADD COLUMN renew_at timestamptz(3);

CREATE INDEX page_sessions_by_person ON page_sessions (person) WHERE person IS NOT NULL;
CREATE INDEX page_sessions_to_renew ON page_sessions (renew_at) WHERE renew_at IS NOT NULL;

-- Log-outs that the provider told, each of which counts once.
CREATE TABLE heard_logouts (
  jti text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT heard_logouts_pkey PRIMARY KEY (jti)
);`;
