import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks, how many there are, and the chain of thoughts about each. */
export class CreateTasks1763700200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${TASKS}
${TASK_COUNTS}
${THOUGHTS}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE thought_heads, thought_records;
DROP VIEW live_tasks;
DROP TABLE tasks, task_counts;
DROP FUNCTION keep_thought_head(), count_tasks(), add_to_task_counts(uuid, boolean, text, bigint, bigint);`);
  }
}

const TASKS = `
CREATE TABLE tasks (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  project_id uuid REFERENCES projects (id),
  parent_task_id uuid REFERENCES tasks (id),
  title text NOT NULL,
  description text,
  stage text NOT NULL DEFAULT 'INIT'
    CHECK (stage IN ('INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED')),
  is_blocked boolean NOT NULL DEFAULT false,
  status text NOT NULL GENERATED ALWAYS AS (CASE stage
    WHEN 'INIT' THEN 'todo' WHEN 'VERIFY' THEN 'inreview' WHEN 'DONE' THEN 'done' WHEN 'CANCELLED' THEN 'cancelled'
    ELSE 'inprogress' END) STORED,
  taskflow_status text NOT NULL GENERATED ALWAYS AS (CASE
    WHEN stage = 'DONE' THEN 'completed' WHEN stage = 'CANCELLED' THEN 'cancelled' WHEN is_blocked THEN 'blocked'
    WHEN stage = 'INIT' THEN 'pending' WHEN stage = 'VERIFY' THEN 'review' ELSE 'in_progress' END) STORED,
  assignee_worker_id uuid REFERENCES workers (id),
  assignee_text text,
  created_by_worker_id uuid REFERENCES workers (id),
  made_by_attempt_id uuid,
  -- the principal whose storage it counts as
  stored_by text,
  priority text,
  progress_percent int NOT NULL DEFAULT 0 CHECK (progress_percent BETWEEN 0 AND 100),
  tags text[] NOT NULL DEFAULT '{}',
  due_date timestamptz(3),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3)
);
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;

-- Lists compare whole keys as rows, which an index serves only where all its columns run the same way.
CREATE INDEX tasks_newest ON tasks (project_id, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_newest_by_status ON tasks (project_id, status, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_taskflow_status ON tasks (project_id, taskflow_status, number DESC) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_project_stage ON tasks (project_id, stage, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_stage ON tasks (stage, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_in_order ON tasks (number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_open ON tasks (number) WHERE deleted_at IS NULL AND stage NOT IN ('DONE', 'CANCELLED');
CREATE INDEX tasks_children ON tasks (parent_task_id) WHERE deleted_at IS NULL;
CREATE INDEX tasks_deleted ON tasks (number) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_deleted_by_stage ON tasks (stage, number) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_deleted_by_project ON tasks (project_id, number) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_deleted_by_project_stage ON tasks (project_id, stage, number) WHERE deleted_at IS NOT NULL;`;

const TASK_COUNTS = `
-- A count is the sum of its rows: a writer adds to one that nobody holds, else makes a further one, so that no writer
-- waits for another. A board is a project, tasks without one (all zeros), or every task (all ones). A block is 2048
-- numbers: a list with an offset sums up whole blocks and begins in the right one.
CREATE TABLE task_counts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  board uuid NOT NULL,
  is_deleted boolean NOT NULL,
  stage text NOT NULL,
  block bigint NOT NULL,
  tasks bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX task_counts_of_board ON task_counts (board, is_deleted, stage, block);

CREATE FUNCTION add_to_task_counts(project uuid, of_deleted boolean, of_stage text, of_block bigint, change bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  none CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  every CONSTANT uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  of_board uuid;
  free bigint;
  left_over bigint;
BEGIN
  FOREACH of_board IN ARRAY ARRAY[coalesce(project, none), every] LOOP
    SELECT id INTO free FROM task_counts
    WHERE board = of_board AND is_deleted = of_deleted AND stage = of_stage AND block = of_block
    LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF free IS NULL THEN
      INSERT INTO task_counts (board, is_deleted, stage, block, tasks)
      VALUES (of_board, of_deleted, of_stage, of_block, change);
    ELSE
      UPDATE task_counts SET tasks = tasks + change WHERE id = free RETURNING tasks INTO left_over;
      IF left_over = 0 THEN DELETE FROM task_counts WHERE id = free; END IF;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_task_counts(project_id, deleted_at IS NOT NULL, stage, number / 2048, count(*))
    FROM added GROUP BY project_id, deleted_at IS NOT NULL, stage, number / 2048;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_to_task_counts(project_id, deleted_at IS NOT NULL, stage, number / 2048, -count(*))
    FROM removed GROUP BY project_id, deleted_at IS NOT NULL, stage, number / 2048;
  ELSE
    PERFORM add_to_task_counts(project_id, is_deleted, stage, block, sum(change)::bigint)
    FROM (
      SELECT project_id, deleted_at IS NOT NULL, stage, number / 2048, -1 FROM removed
      UNION ALL
      SELECT project_id, deleted_at IS NOT NULL, stage, number / 2048, 1 FROM added
    ) moved (project_id, is_deleted, stage, block, change)
    GROUP BY project_id, is_deleted, stage, block HAVING sum(change) <> 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_tasks AFTER INSERT ON tasks REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();
CREATE TRIGGER count_changed_tasks AFTER UPDATE ON tasks REFERENCING OLD TABLE AS removed NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();
CREATE TRIGGER count_removed_tasks AFTER DELETE ON tasks REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();`;

const THOUGHTS = `
CREATE TABLE thought_records (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  task_id uuid NOT NULL REFERENCES tasks (id),
  -- in the chain of its task, from 1
  position bigint NOT NULL,
  type text NOT NULL CHECK (type IN ('plan', 'analysis', 'decision', 'reflection')),
  agent_id text NOT NULL,
  recorded_by text NOT NULL,
  content text NOT NULL,
  session_id text,
  timestamp text NOT NULL,
  version smallint NOT NULL,
  prev_hash text NOT NULL,
  hash text NOT NULL
);
CREATE INDEX thought_records_of_task ON thought_records (task_id, number);

-- The head of every chain as it grew, written by the database itself: who may only add records can neither rewrite a
-- chain nor cut it.
CREATE TABLE thought_heads (
  task_id uuid NOT NULL REFERENCES tasks (id),
  position bigint NOT NULL,
  record_id uuid NOT NULL,
  hash text NOT NULL,
  CONSTRAINT thought_heads_pkey PRIMARY KEY (task_id, position),
  CONSTRAINT thought_heads_record_key UNIQUE (record_id)
);
-- With its owner's rights: the server's role has none to write here.
CREATE FUNCTION keep_thought_head() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO thought_heads (task_id, position, record_id, hash)
  SELECT NEW.task_id, coalesce(max(h.position), 0) + 1, NEW.id, NEW.hash
  FROM thought_heads h WHERE h.task_id = NEW.task_id;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_head AFTER INSERT ON thought_records
FOR EACH ROW EXECUTE FUNCTION keep_thought_head();`;
