import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups of the identity provider have roles in projects. */
export class LetGroupsBeMembers1763701820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP FUNCTION own_projects(text);
DROP FUNCTION project_role(uuid, text);
DROP TABLE project_groups;
${before}`);
  }
}

// who: a worker, and a line for each of its groups; a tab stands for an administrator of the instance
const up = `
CREATE TABLE project_groups (
  project_id uuid NOT NULL REFERENCES projects (id),
  group_name text NOT NULL CHECK (group_name ~ '^[^[:cntrl:]]+$'),
  role text NOT NULL CHECK (role IN ('viewer', 'member', 'maintainer', 'owner')),
  joined_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT project_groups_pkey PRIMARY KEY (project_id, group_name)
);
CREATE INDEX project_groups_by_name ON project_groups (group_name);

DROP FUNCTION project_role(uuid, uuid);
-- The best role of the worker and its groups; of a project without members that of everybody. One that has groups alone
-- is administered by the instance's administrators.
CREATE FUNCTION project_role(project uuid, who text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN who IS NULL THEN 'owner' ELSE coalesce(
    (
      SELECT r.role FROM (
        SELECT m.role FROM project_members m WHERE m.project_id = project AND m.worker_id = left(who, 36)::uuid
        UNION ALL
        SELECT g.role FROM project_groups g
        WHERE length(who) > 36 AND g.project_id = project
          AND g.group_name = ANY (string_to_array(substr(who, 38), E'\\n'))
        UNION ALL
        SELECT 'owner'
        WHERE length(who) > 36 AND E'\\t' = ANY (string_to_array(substr(who, 38), E'\\n'))
          AND EXISTS (SELECT 1 FROM project_groups g WHERE g.project_id = project)
          AND NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
      ) r
      ORDER BY array_position(ARRAY['owner', 'maintainer', 'member', 'viewer'], r.role) LIMIT 1
    ),
    CASE
      WHEN NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
        AND NOT EXISTS (SELECT 1 FROM project_groups g WHERE g.project_id = project)
      THEN 'member'
    END) END
$$;

-- Projects in which who asks has a role of its own.
CREATE FUNCTION own_projects(who text) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  SELECT m.project_id FROM project_members m WHERE m.worker_id = left(who, 36)::uuid
  UNION
  SELECT g.project_id FROM project_groups g WHERE project_role(g.project_id, who) IS NOT NULL
$$;`;

const before = `
CREATE FUNCTION project_role(project uuid, worker uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN worker IS NULL THEN 'owner' ELSE coalesce(
    (SELECT m.role FROM project_members m WHERE m.project_id = project AND m.worker_id = worker),
    CASE WHEN NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project) THEN 'member' END) END
$$;`;
