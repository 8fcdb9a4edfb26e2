import { REPORTED_USAGE, USAGE_SUMS } from '../executors/usage.dto.js';
import { columnsOf } from '../platform/database/columns.js';
import type { PreparedStatement } from '../platform/database/database.js';
import { ANY_WANTED } from '../platform/database/row-loader.js';
import { MAX_LIMIT } from '../platform/fields/paging.js';
import { foundTasks } from './found-tasks.sql.js';
import { Task } from './task.entity.js';

/** Statements that read tasks with their newest attempt. */

/** Joins a task `t` to its newest attempt; state comes from the one view that defines it. */
const ATTEMPT_SUMMARY_JOINS = `
  LEFT JOIN LATERAL (
    SELECT attempt_id, workspace_branch, latest_session_id, latest_session_executor, state, delivery_state, pr_url,
      checks_state
    FROM attempt_summaries
    WHERE task_id = t.id
    ORDER BY created_at DESC, attempt_id LIMIT 1
  ) a ON true`;

const ATTEMPT_SUMMARY_COLUMNS = `
    a.attempt_id AS latest_attempt_id, a.workspace_branch AS latest_workspace_branch,
    a.latest_session_id, a.latest_session_executor,
    EXISTS (
      SELECT 1 FROM executions e
      WHERE e.task_id = t.id AND e.status IN ('queued', 'running') AND e.run_reason <> 'devserver'
    ) AS has_in_progress_attempt,
    coalesce(a.state = 'failed', false) AS last_attempt_failed,
    coalesce(a.delivery_state, 'none') AS delivery_state, a.pr_url, a.checks_state`;

const COLUMNS = 'id, number, title, status, is_blocked, created_at, updated_at';
const LIST_COLUMNS = COLUMNS.replace(/\w+/g, 't.$&');

/** One plan serves any project and page: values are in subqueries, which the planner does not estimate. Row comparison
 *  and ordering by the whole key force that key's index: with `=` the planner may take the index of all numbers, 35 ms
 *  if others have 100 000 newer tasks. The largest page is a literal, because an unknown limit is estimated as a tenth
 *  of the board. */
const listed = (name: string, key: string[], values: string): PreparedStatement => ({
  name,
  text: `
  SELECT ${LIST_COLUMNS}, ${ATTEMPT_SUMMARY_COLUMNS}
  FROM (
    SELECT ${LIST_COLUMNS}
    FROM (
      SELECT ${LIST_COLUMNS}
      FROM listed_tasks t
      WHERE (${key.join(', ')}, number) < (${values}, (SELECT $3::bigint))
        AND (${key.join(', ')}) >= (${values})
        AND ($2::uuid[] IS NULL OR project_id = ANY($2))
        AND EXISTS (SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL)
        AND (SELECT project_role($1, $5) IS NOT NULL)
      ORDER BY ${key.map((column) => `${column} DESC`).join(', ')}, number DESC LIMIT ${MAX_LIMIT + 1}
    ) t
    LIMIT $4
  ) t ${ATTEMPT_SUMMARY_JOINS}
  ORDER BY t.number DESC`,
});
export const LIST = listed('tasks', ['project_id'], '(SELECT $1::uuid)');
export const LIST_OF_STATUS = listed(
  'tasks_of_status',
  ['project_id', 'status'],
  '(SELECT $1::uuid), (SELECT $6::text)',
);

/** $6 the terms. */
export const LIST_OF_WORDS: PreparedStatement = {
  name: 'tasks_of_words',
  text: `
  SELECT ${LIST_COLUMNS}, ${ATTEMPT_SUMMARY_COLUMNS}
  FROM (
    ${foundTasks({
      columns: COLUMNS,
      query: '$6',
      below: '$3::bigint',
      within: `($2::uuid[] IS NULL OR project_id = ANY($2))
        AND EXISTS (SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL)
        AND (SELECT project_role($1, $5) IS NOT NULL)`,
      limit: '$4',
    })}
  ) t ${ATTEMPT_SUMMARY_JOINS}
  ORDER BY t.number DESC`,
};

/** $1 the parent, $2 number of the last one seen, $3 how many. */
export const LIST_SUBTASKS: PreparedStatement = {
  name: 'subtasks',
  text: `
  SELECT ${LIST_COLUMNS}, ${ATTEMPT_SUMMARY_COLUMNS}
  FROM (
    SELECT ${LIST_COLUMNS}
    FROM live_tasks t
    WHERE parent_task_id = $1 AND number < $2
    ORDER BY number DESC LIMIT $3
  ) t ${ATTEMPT_SUMMARY_JOINS}
  ORDER BY t.number DESC`,
};

/** $1 the project, $2 how many: what can be restored, deleted last first. */
export const LIST_DELETED: PreparedStatement = {
  name: 'deleted_tasks',
  text: `
  SELECT id, title, status, deleted_at
  FROM tasks
  WHERE project_id = $1 AND deleted_at IS NOT NULL AND deleted_at > now() - interval '24 hours'
  ORDER BY deleted_at DESC, number DESC LIMIT $2`,
};

/** Usage is null if nothing was reported: summing nothing costs an eighth of the statement. */
export const ONE: PreparedStatement = {
  name: 'task',
  text: `
  SELECT ${columnsOf(Task, 't')},
    project_role(t.project_id, $3) AS project_role, w.handle AS assignee_handle, ${ATTEMPT_SUMMARY_COLUMNS},
    (
      SELECT ${USAGE_SUMS}
      FROM executions e
      WHERE e.task_id = t.id AND ${REPORTED_USAGE}
      HAVING count(*) > 0
    ) AS usage
  FROM live_tasks t
  LEFT JOIN workers w ON w.id = t.assignee_worker_id ${ATTEMPT_SUMMARY_JOINS}
  WHERE t.id = ${ANY_WANTED} AND ($2::uuid[] IS NULL OR t.project_id = ANY($2))`,
};
