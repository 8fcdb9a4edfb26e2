import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that the server sends by itself, later and boundedly, and in whose name. */
export class GoOnByItself1763701940000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE turn_authors (
  attempt_id uuid NOT NULL PRIMARY KEY REFERENCES attempts (id) ON DELETE CASCADE,
  worker_id uuid,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('human', 'agent', 'system')),
  groups text[] NOT NULL,
  charged_to text NOT NULL
);

CREATE TABLE continuations (
  id uuid NOT NULL PRIMARY KEY,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  attempt_id uuid NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  task_id uuid NOT NULL,
  session_id uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  cause text NOT NULL CHECK (cause IN ('repair', 'review', 'transient', 'quota', 'infra')),
  cause_key text NOT NULL UNIQUE,
  round smallint NOT NULL,
  idle smallint NOT NULL DEFAULT 0,
  due_at timestamptz(3) NOT NULL,
  state text NOT NULL CHECK (state IN ('due', 'queued', 'sent', 'dropped', 'exhausted')),
  reason text,
  prompt text NOT NULL,
  is_task_text boolean NOT NULL,
  variant text,
  timeout_secs integer,
  job_id uuid NOT NULL,
  execution_id uuid,
  is_past boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX continuations_by_attempt ON continuations (attempt_id, number DESC);
CREATE INDEX continuations_due ON continuations (due_at) WHERE state IN ('due', 'queued');
CREATE INDEX continuations_by_job ON continuations (job_id);
CREATE INDEX continuations_exhausted ON continuations (project_id, number)
  WHERE state = 'exhausted' AND NOT is_past;
CREATE INDEX continuations_by_session ON continuations (session_id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE continuations, turn_authors');
  }
}
