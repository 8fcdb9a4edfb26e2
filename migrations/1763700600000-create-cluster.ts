import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The processes that serve, and the turns that wait for one or run in one. */
export class CreateCluster1763700600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row a process. A name that comes back is a new incarnation; the home of an attempt is a name.
CREATE TABLE runners (
  runner_id text NOT NULL,
  incarnation uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('all', 'api', 'runner')),
  address text NOT NULL,
  version text NOT NULL,
  slots int NOT NULL CHECK (slots >= 0),
  executors jsonb NOT NULL DEFAULT '[]',
  isolation text NOT NULL,
  -- of memory and processes, for each of its runs
  limits jsonb NOT NULL,
  secret_print text NOT NULL,
  is_draining boolean NOT NULL DEFAULT false,
  entered_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  left_at timestamptz(3),
  CONSTRAINT runners_pkey PRIMARY KEY (runner_id)
) WITH (fillfactor = 50);

CREATE TABLE turn_jobs (
  job_id uuid NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  attempt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  executor text NOT NULL,
  priority smallint NOT NULL DEFAULT 0,
  home text NOT NULL DEFAULT '',
  -- trace of the call that started the turn
  traceparent text,
  queued_at timestamptz(3) NOT NULL DEFAULT now(),
  taken_at timestamptz(3),
  runner_id text,
  incarnation uuid,
  CONSTRAINT turn_jobs_pkey PRIMARY KEY (job_id),
  CONSTRAINT turn_jobs_holder CHECK (num_nulls(taken_at, runner_id, incarnation) IN (0, 3))
);
CREATE INDEX turn_jobs_waiting ON turn_jobs (project_id, priority DESC, number) WHERE taken_at IS NULL;
CREATE INDEX turn_jobs_homed ON turn_jobs (home) WHERE taken_at IS NULL AND home <> '';
CREATE INDEX turn_jobs_taken ON turn_jobs (executor) WHERE taken_at IS NOT NULL;
CREATE INDEX turn_jobs_of_attempt ON turn_jobs (attempt_id);

-- Start-time fair queuing: how far the queue has come, and the tag of each project's next turn. The counts are the
-- database's own, so that a cap is checked on one locked row and holds for every runner.
CREATE TABLE turn_clock (
  id smallint NOT NULL DEFAULT 1 CHECK (id = 1),
  tag bigint NOT NULL,
  CONSTRAINT turn_clock_pkey PRIMARY KEY (id)
);
INSERT INTO turn_clock (tag) VALUES (0);

CREATE TABLE turn_shares (
  project_id uuid NOT NULL,
  waiting bigint NOT NULL DEFAULT 0,
  running bigint NOT NULL DEFAULT 0,
  tag bigint NOT NULL DEFAULT 0,
  CONSTRAINT turn_shares_pkey PRIMARY KEY (project_id)
) WITH (fillfactor = 50);
CREATE INDEX turn_shares_next ON turn_shares (tag, project_id) WHERE waiting > 0;

CREATE FUNCTION count_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO turn_shares AS s (project_id, waiting, tag)
    VALUES (NEW.project_id, 1, (SELECT tag FROM turn_clock))
    ON CONFLICT (project_id) DO UPDATE
    SET waiting = s.waiting + 1,
      tag = CASE WHEN s.waiting = 0 THEN greatest(s.tag, excluded.tag) ELSE s.tag END;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE turn_shares
    SET waiting = waiting - (OLD.taken_at IS NULL)::int, running = running - (OLD.taken_at IS NOT NULL)::int
    WHERE project_id = OLD.project_id;
  ELSIF (OLD.taken_at IS NULL) <> (NEW.taken_at IS NULL) THEN
    UPDATE turn_shares
    SET waiting = waiting + CASE WHEN NEW.taken_at IS NULL THEN 1 ELSE -1 END,
      running = running + CASE WHEN NEW.taken_at IS NULL THEN -1 ELSE 1 END,
      tag = tag + CASE WHEN NEW.taken_at IS NULL THEN -1 ELSE 1 END
    WHERE project_id = NEW.project_id;
  END IF;
  RETURN NULL;
END $$;
-- At the end of the transaction: the row of a share is the last that is locked, so that nobody waits in a circle.
CREATE CONSTRAINT TRIGGER count_turns AFTER INSERT OR UPDATE OF taken_at OR DELETE ON turn_jobs
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_turns();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE turn_shares, turn_clock, turn_jobs, runners;
DROP FUNCTION count_turns();`);
  }
}
