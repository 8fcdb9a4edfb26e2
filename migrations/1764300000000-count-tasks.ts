import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many tasks there are, kept by the database itself with every write, and the indexes that lists by stage walk
 *  along. */
export class CountTasks1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- keeps_out stays for servers of the release before this one.
CREATE FUNCTION is_excluded(project uuid, worker uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT worker IS NOT NULL
    AND EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project)
    AND NOT EXISTS (SELECT 1 FROM project_members m WHERE m.project_id = project AND m.worker_id = worker)
$$;

CREATE INDEX tasks_by_stage ON tasks (stage, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_by_project_stage ON tasks (project_id, stage, number) WHERE deleted_at IS NULL;
CREATE INDEX tasks_open ON tasks (number) WHERE deleted_at IS NULL AND stage NOT IN ('DONE', 'CANCELLED');
CREATE INDEX tasks_deleted ON tasks (number) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_deleted_by_stage ON tasks (stage, number) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_deleted_by_project ON tasks (project_id, number) WHERE deleted_at IS NOT NULL;
CREATE INDEX tasks_deleted_by_project_stage ON tasks (project_id, stage, number) WHERE deleted_at IS NOT NULL;

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
FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

-- The triggers hold off writers until this transaction ends: what is here now is counted once.
INSERT INTO task_counts (board, is_deleted, stage, block, tasks)
SELECT b.board, t.deleted_at IS NOT NULL, t.stage, t.number / 2048, count(*)
FROM tasks t CROSS JOIN LATERAL (VALUES
  (coalesce(t.project_id, '00000000-0000-0000-0000-000000000000'::uuid)),
  ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
) b (board)
GROUP BY 1, 2, 3, 4;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER count_added_tasks ON tasks;
DROP TRIGGER count_changed_tasks ON tasks;
DROP TRIGGER count_removed_tasks ON tasks;
DROP FUNCTION count_tasks();
DROP FUNCTION add_to_task_counts(uuid, boolean, text, bigint, bigint);
DROP TABLE task_counts;
DROP INDEX tasks_by_stage, tasks_by_project_stage, tasks_open,
  tasks_deleted, tasks_deleted_by_stage, tasks_deleted_by_project, tasks_deleted_by_project_stage;
DROP FUNCTION is_excluded(uuid, uuid);`);
  }
}
