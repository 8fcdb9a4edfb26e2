import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People and agents as workers, projects with their members, and repositories. */
export class CreateProjects1763700100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE workers (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  handle text NOT NULL CONSTRAINT workers_handle_key UNIQUE CHECK (handle ~ '^@[a-z0-9_-]{1,49}$'),
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('human', 'agent')),
  user_id text CONSTRAINT workers_user_key UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE projects (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  auto_commit text NOT NULL DEFAULT 'off' CHECK (auto_commit IN ('off', 'per_turn')),
  -- the principal whose storage it counts as
  stored_by text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3)
);
CREATE UNIQUE INDEX projects_slug_key ON projects (slug) WHERE deleted_at IS NULL;
CREATE INDEX projects_newest ON projects (number DESC) WHERE deleted_at IS NULL;

CREATE TABLE project_members (
  project_id uuid NOT NULL REFERENCES projects (id),
  worker_id uuid NOT NULL REFERENCES workers (id),
  role text NOT NULL CHECK (role IN ('viewer', 'member', 'maintainer', 'owner')),
  joined_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT project_members_pkey PRIMARY KEY (project_id, worker_id)
);
CREATE INDEX project_members_by_worker ON project_members (worker_id);

-- Null where the project has members and the worker is none of them. No worker is the owner of the machine; a project
-- without members takes every worker for a member.
CREATE FUNCTION project_role(project uuid, worker uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN worker IS NULL THEN 'owner' ELSE coalesce(
    (SELECT m.role FROM project_members m WHERE m.project_id = project AND m.worker_id = worker),
    CASE WHEN NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project) THEN 'member' END) END
$$;

CREATE TABLE repos (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  project_id uuid NOT NULL REFERENCES projects (id),
  name text NOT NULL,
  path text NOT NULL,
  url text,
  default_target_branch text NOT NULL,
  setup_script text,
  cleanup_script text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT repos_name_key UNIQUE (project_id, name)
);

-- What a URL held to log in with, sealed by the secret of the cluster: every runner makes a clone of its own.
CREATE TABLE clone_passwords (
  repo_id uuid PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  sealed bytea NOT NULL
);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE clone_passwords, repos;
DROP FUNCTION project_role(uuid, uuid);
DROP TABLE project_members, projects, workers;`);
  }
}
