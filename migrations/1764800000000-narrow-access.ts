import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Service tokens, four roles in a project, and an audit log that knows of both and of who acts for another. */
export class NarrowAccess1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE service_tokens (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  public_part text NOT NULL,
  token_hash bytea NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  -- null: every project
  project_ids uuid[],
  worker_id uuid REFERENCES workers (id),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT service_tokens_hash_key UNIQUE (token_hash)
);
CREATE INDEX service_tokens_in_use ON service_tokens (number) WHERE revoked_at IS NULL;

ALTER TABLE project_members
  DROP CONSTRAINT project_members_role_check,
  ADD CONSTRAINT project_members_role_check CHECK (role IN ('viewer', 'member', 'maintainer', 'owner'));

-- What a worker is in a project; null where it has members and the worker is none of them. Nobody in particular owns
-- the machine; a project without members takes every worker for a member.
CREATE FUNCTION project_role(project uuid, worker uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN worker IS NULL THEN 'owner' ELSE coalesce(
    (SELECT m.role FROM project_members m WHERE m.project_id = project AND m.worker_id = worker),
    CASE WHEN NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project) THEN 'member' END) END
$$;

ALTER TABLE audit_log
  ADD COLUMN caller text,
  ALTER COLUMN entity_id DROP NOT NULL,
  DROP CONSTRAINT audit_log_entity_type_check,
  ADD CONSTRAINT audit_log_entity_type_check
    CHECK (entity_type IN ('task', 'project', 'worker', 'execution', 'token', 'caller'));
CREATE INDEX audit_log_by_action ON audit_log (action, number DESC);
CREATE INDEX audit_log_by_actor ON audit_log (actor, number DESC);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE service_tokens;
DROP FUNCTION project_role(uuid, uuid);
UPDATE project_members SET role = 'member' WHERE role IN ('viewer', 'maintainer');
ALTER TABLE project_members
  DROP CONSTRAINT project_members_role_check,
  ADD CONSTRAINT project_members_role_check CHECK (role IN ('owner', 'member'));
DROP INDEX audit_log_by_action;
DROP INDEX audit_log_by_actor;
DELETE FROM audit_log WHERE entity_type IN ('token', 'caller');
ALTER TABLE audit_log
  DROP COLUMN caller,
  ALTER COLUMN entity_id SET NOT NULL,
  DROP CONSTRAINT audit_log_entity_type_check,
  ADD CONSTRAINT audit_log_entity_type_check CHECK (entity_type IN ('task', 'project', 'worker', 'execution'));
`);
  }
}
