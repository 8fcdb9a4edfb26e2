import { localOwner } from '../../dist/src/platform/access/principal.js';
import { LIST } from '../../dist/src/tasks/read-tasks.sql.js';
import { TasksRepository } from '../../dist/src/tasks/tasks.repository.js';

/** The statement of get_task as the server sends it, caught on its way, so that the floor runs the very same. */
export async function getTaskStatement() {
  let caught;
  const database = {
    queryPrepared: ({ text }) => {
      caught = text;
      return [];
    },
  };
  // an empty answer is a refusal
  await new TasksRepository(database).getWithAttempts(localOwner, '').catch(() => undefined);
  return caught;
}

/** The statement of list_tasks as the server sends it, and the same that says nothing of deliveries. */
export function listStatements() {
  const without = LIST.text
    .replace('state, delivery_state, pr_url', 'state')
    .replace(
      `coalesce(a.delivery_state, 'none') AS delivery_state, a.pr_url`,
      'NULL AS delivery_state, NULL AS pr_url',
    );
  if (/a\.(delivery_state|pr_url)/.test(without))
    throw new Error(`list_tasks reads deliveries otherwise: ${LIST.text}`);
  return { shown: LIST.text, without };
}

/** create_task as one would write it by hand: the task in a project that is there, and its audit row, as one
 *  statement. */
export const CREATE_TASK = `
WITH project AS (
  SELECT id FROM projects WHERE id = $2 AND deleted_at IS NULL
), task AS (
  INSERT INTO tasks (id, project_id, title, description, stage, created_at, updated_at)
  SELECT $1, id, $3, $4, 'INIT', now(), now() FROM project
  RETURNING id, project_id
)
INSERT INTO audit_log (entity_type, entity_id, task_id, project_id, action, actor, actor_type, details, created_at)
SELECT 'task', id, id, project_id, 'created', 'local', 'human',
  jsonb_build_object(
    'after', jsonb_build_object('title', $3::text, 'description', $4::text, 'project_id', project_id)
  ), now()
FROM task`;

/** list_tasks as one would write it by hand for this very answer: no view, no scope, no membership. Keys compared as
 *  rows, as the server does: with `=` the one plan for every project took 35 ms for that of 1 000 tasks. */
export const LIST_TASKS = `
SELECT t.id, t.number, t.title, t.status, t.is_blocked, t.created_at, t.updated_at,
  a.id AS latest_attempt_id, a.branch AS latest_workspace_branch,
  s.id AS latest_session_id, s.executor AS latest_session_executor,
  EXISTS (
    SELECT 1 FROM executions r
    WHERE r.task_id = t.id AND r.status IN ('queued', 'running') AND r.run_reason <> 'devserver'
  ) AS has_in_progress_attempt,
  coalesce(e.status IN ('failed', 'killed'), false) AS last_attempt_failed,
  CASE
    WHEN a.id IS NULL OR e.status IS NULL THEN coalesce(a.delivery_state, 'none')
    WHEN a.delivery_state IS NULL OR e.updated_at > a.delivery_state_at THEN 'ready'
    ELSE a.delivery_state
  END AS delivery_state,
  NULL AS pr_url
FROM (
  SELECT id, number, title, status, is_blocked, created_at, updated_at
  FROM tasks
  WHERE (project_id, number) < ($1, 9e15::bigint) AND project_id >= $1 AND deleted_at IS NULL
  ORDER BY project_id DESC, number DESC
  LIMIT 51
) t
LEFT JOIN LATERAL (
  SELECT id, branch, delivery_state, delivery_state_at
  FROM attempts WHERE task_id = t.id ORDER BY created_at DESC, id LIMIT 1
) a ON true
LEFT JOIN LATERAL (
  SELECT id, executor FROM sessions WHERE attempt_id = a.id ORDER BY created_at DESC, id LIMIT 1
) s ON true
LEFT JOIN LATERAL (
  SELECT status, updated_at
  FROM executions WHERE attempt_id = a.id AND run_reason <> 'devserver' ORDER BY number DESC LIMIT 1
) e ON true
ORDER BY t.number DESC`;
