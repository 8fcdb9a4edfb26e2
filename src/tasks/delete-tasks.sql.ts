/** Statements that write all tasks of the project $1. */

/** Those of lists have one index, archived ones another. */
const LIVE_BY_INDEX = 'deleted_at IS NULL AND (archived_at IS NULL OR archived_at IS NOT NULL)';

export const LOCK_ALL = `
  SELECT id FROM tasks
  WHERE project_id = $1 AND ${LIVE_BY_INDEX}
  ORDER BY id FOR NO KEY UPDATE`;

export const DELETE_ALL = `
  WITH deleted AS (
    UPDATE tasks SET deleted_at = now(), updated_at = now()
    WHERE project_id = $1 AND ${LIVE_BY_INDEX}
    RETURNING id, number, project_id, title, stage
  ), told AS (
    INSERT INTO events (project_id, type, subject, data)
    SELECT project_id, 'taskyard.task.deleted', id, jsonb_build_object('task_id', id, 'title', title)
    FROM deleted
    ORDER BY number
  )
  INSERT INTO audit_log (
    entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type, caller, details,
    created_at
  )
  SELECT 'task', d.id, d.id, d.project_id, 'deleted', w.id, coalesce(w.handle, $3), coalesce(w.type, $4), $5,
    jsonb_build_object('before', jsonb_build_object('title', d.title, 'stage', d.stage)), now()
  FROM deleted d LEFT JOIN workers w ON w.id = $2
  ORDER BY d.number
  RETURNING task_id`;
