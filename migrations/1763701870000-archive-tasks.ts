import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Archived tasks leave the board and every list, and are still found by filters and by words. */
export class ArchiveTasks1763701870000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
${noIndexes('deleted')}
DROP FUNCTION task_terms;
ALTER TABLE tasks ADD COLUMN archived_at timestamptz(3);
CREATE OR REPLACE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
CREATE VIEW listed_tasks AS SELECT * FROM tasks WHERE ${LISTED};
${counts('deleted_at IS NOT NULL OR archived_at IS NOT NULL')}
${terms(', archived boolean', ", CASE WHEN archived THEN '^archived' END", ', archived_at IS NOT NULL')}
${indexes(LISTED, HIDDEN, 'hidden')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
${noIndexes('hidden')}
DROP FUNCTION task_terms;
DROP VIEW listed_tasks, kept_tasks, live_tasks;
ALTER TABLE tasks DROP COLUMN archived_at;
CREATE VIEW live_tasks AS SELECT * FROM tasks WHERE deleted_at IS NULL;
${KEPT}
${counts('deleted_at IS NOT NULL')}
${terms('', '', '')}
${indexes('deleted_at IS NULL', 'deleted_at IS NOT NULL', 'deleted')}`);
  }
}

const LISTED = 'deleted_at IS NULL AND archived_at IS NULL';
const HIDDEN = '(deleted_at IS NOT NULL OR archived_at IS NOT NULL)';

/** As before, but what no list has counts as deleted. */
const counts = (isHidden: string): string => `
CREATE OR REPLACE FUNCTION count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_task_counts(project_id, ${isHidden}, stage, number / 2048, count(*))
    FROM added GROUP BY project_id, ${isHidden}, stage, number / 2048;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_to_task_counts(project_id, ${isHidden}, stage, number / 2048, -count(*))
    FROM removed GROUP BY project_id, ${isHidden}, stage, number / 2048;
  ELSE
    PERFORM add_to_task_counts(project_id, is_deleted, stage, block, sum(change)::bigint)
    FROM (
      SELECT project_id, ${isHidden}, stage, number / 2048, -1 FROM removed
      UNION ALL
      SELECT project_id, ${isHidden}, stage, number / 2048, 1 FROM added
    ) moved (project_id, is_deleted, stage, block, change)
    GROUP BY project_id, is_deleted, stage, block HAVING sum(change) <> 0;
  END IF;
  RETURN NULL;
END $$;`;

/** As before, with one more sign. */
const terms = (parameter: string, sign: string, value: string): string => `
CREATE FUNCTION task_terms(
  number bigint, project uuid, status text, title text, description text, priority text, assignee text,
  assignee_worker uuid, tags text[], executors text[]${parameter}
) RETURNS tsvector LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT terms_of(number, project, title || ' ' || coalesce(description, ''),
    ARRAY['~' || status, '!' || priority, '>' || assignee, '>' || assignee_worker${sign}]
      || ARRAY(SELECT '#' || tag FROM unnest(tags) tag)
      || ARRAY(SELECT '&' || executor FROM unnest(executors) executor));
END;
CREATE INDEX tasks_by_terms ON tasks USING gin (task_terms(number, project_id, status, title, description, priority,
  assignee_text, assignee_worker_id, tags, executors${value})) WITH (fastupdate = off) WHERE deleted_at IS NULL;`;

const noIndexes = (name: string): string => `
DROP INDEX tasks_by_terms, tasks_newest, tasks_newest_by_status, tasks_by_taskflow_status, tasks_by_project_stage,
  tasks_by_stage, tasks_in_order, tasks_open, tasks_${name}, tasks_${name}_by_stage, tasks_${name}_by_project,
  tasks_${name}_by_project_stage;`;

/** Of each list, and of what no list has. */
const indexes = (listed: string, hidden: string, name: string): string => `
CREATE INDEX tasks_newest ON tasks (project_id, number) WHERE ${listed};
CREATE INDEX tasks_newest_by_status ON tasks (project_id, status, number) WHERE ${listed};
CREATE INDEX tasks_by_taskflow_status ON tasks (project_id, taskflow_status, number DESC) WHERE ${listed};
CREATE INDEX tasks_by_project_stage ON tasks (project_id, stage, number) WHERE ${listed};
CREATE INDEX tasks_by_stage ON tasks (stage, number) WHERE ${listed};
CREATE INDEX tasks_in_order ON tasks (number) WHERE ${listed};
CREATE INDEX tasks_open ON tasks (number) WHERE ${listed} AND stage NOT IN ('DONE', 'CANCELLED');
CREATE INDEX tasks_${name} ON tasks (number) WHERE ${hidden};
CREATE INDEX tasks_${name}_by_stage ON tasks (stage, number) WHERE ${hidden};
CREATE INDEX tasks_${name}_by_project ON tasks (project_id, number) WHERE ${hidden};
CREATE INDEX tasks_${name}_by_project_stage ON tasks (project_id, stage, number) WHERE ${hidden};`;

const KEPT = `
CREATE VIEW kept_tasks AS
SELECT t.id FROM tasks t
WHERE t.deleted_at IS NULL
  OR (t.deleted_at > now() - interval '24 hours'
    AND (t.project_id IS NULL OR EXISTS (SELECT FROM projects p WHERE p.id = t.project_id AND p.deleted_at IS NULL)));`;
