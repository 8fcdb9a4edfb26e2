import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may call, and what is on record about calls: audit, events, requests that came before, tools that were used. */
export class CreateAccess1763700700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${CREDENTIALS}
${AUDIT}
${EVENTS}
${CALLS}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE tool_invocations, idempotency_keys, events, audit_log, page_sessions, service_tokens;
DROP FUNCTION prune_audit(integer, integer), hold_event_numbers();`);
  }
}

const CREDENTIALS = `
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
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT service_tokens_hash_key UNIQUE (token_hash)
);
CREATE INDEX service_tokens_in_use ON service_tokens (number) WHERE revoked_at IS NULL;

-- People at the page: each session holds what its credential allowed, and ends with it.
CREATE TABLE page_sessions (
  id uuid PRIMARY KEY,
  secret_hash bytea NOT NULL,
  principal jsonb NOT NULL,
  -- null: of a credential that no row knows
  service_token_id uuid REFERENCES service_tokens (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT page_sessions_secret_key UNIQUE (secret_hash)
);
CREATE INDEX page_sessions_by_end ON page_sessions (expires_at);`;

const AUDIT = `
CREATE TABLE audit_log (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entity_type text NOT NULL
    CHECK (entity_type IN ('task', 'project', 'worker', 'execution', 'delivery', 'token', 'caller')),
  entity_id uuid,
  task_id uuid,
  project_id uuid,
  action text NOT NULL,
  actor_worker_id uuid,
  actor text NOT NULL,
  actor_type text NOT NULL CHECK (actor_type IN ('human', 'agent', 'system')),
  -- who acted for the actor
  caller text,
  details jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_by_task ON audit_log (task_id, number DESC);
CREATE INDEX audit_log_by_project ON audit_log (project_id, number DESC);
CREATE INDEX audit_log_by_action ON audit_log (action, number DESC);
CREATE INDEX audit_log_by_actor ON audit_log (actor, number DESC);

-- With its owner's rights: the server's role may only add and read. Looks at the oldest rows alone, so that a call
-- that finds none costs nothing.
CREATE FUNCTION prune_audit(keep_days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  pruned bigint;
BEGIN
  IF keep_days < 30 THEN
    RAISE EXCEPTION 'audit rows are kept for at least 30 days';
  END IF;
  DELETE FROM audit_log
  WHERE number IN (
    SELECT oldest.number
    FROM (SELECT number, created_at FROM audit_log ORDER BY number LIMIT most) oldest
    WHERE oldest.created_at < now() - keep_days * interval '1 day'
  );
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;
REVOKE ALL ON FUNCTION prune_audit(integer, integer) FROM PUBLIC;`;

const EVENTS = `
-- What changed on the boards, in the transaction of each change.
CREATE TABLE events (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id uuid,
  type text NOT NULL,
  subject uuid NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX events_by_project ON events (project_id, number);

-- Numbers are handed out before their transactions end, so that a row may appear below one that was read already.
-- Whoever is about to take numbers therefore holds a shared lock that names the last one taken before, until it has
-- ended: what lies beyond the smallest of these is not read yet. Nobody waits for that lock; it is seen in pg_locks.
-- Once a statement, not a row: a transaction can hold some thousands of locks, no more. A lock's key has 32 bits, a
-- number 64: the lower ones tell it from all others that are open.
CREATE FUNCTION hold_event_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(
    'events'::regclass::oid::int, coalesce(pg_sequence_last_value('events_number_seq'), 0)::bit(32)::int
  );
  RETURN NULL;
END $$;
CREATE TRIGGER hold_numbers BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION hold_event_numbers();`;

const CALLS = `
CREATE TABLE idempotency_keys (
  operation text NOT NULL,
  principal_id text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('in_progress', 'completed')),
  result jsonb,
  project_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (operation, principal_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (state, updated_at);

CREATE TABLE tool_invocations (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  toolset text NOT NULL,
  tool text NOT NULL,
  principal_id text NOT NULL,
  actor text NOT NULL,
  code text,
  duration_ms real NOT NULL,
  called_at timestamptz(3) NOT NULL
);
CREATE INDEX tool_invocations_by_tool ON tool_invocations (toolset, tool, called_at);`;
