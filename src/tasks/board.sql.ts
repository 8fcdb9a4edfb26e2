import { columnsOf } from '../platform/database/columns.js';
import type { PreparedStatement } from '../platform/database/database.js';
import { QUEUE_POSITION, TURNS_AHEAD } from '../cluster/waiting.sql.js';
import { Task } from './task.entity.js';
import { foundTasks } from './found-tasks.sql.js';

/** From the stored counts, which take archived tasks for deleted ones. */
export const COUNTS: PreparedStatement = {
  name: 'board_counts',
  text: `
  SELECT stage, sum(tasks)::int AS count
  FROM task_counts
  WHERE board = $1 AND NOT is_deleted
  GROUP BY stage`,
};

/** Of an attempt summary `s`. */
export const ENDED_BY = "CASE WHEN s.state = 'failed' AND s.stop_requested_at IS NOT NULL THEN 'stop' END";

/** Cards of tasks by their ids, one look-up each: a join might read all tasks. */
const cards = (picked: string, more: string): string => `
  SELECT ${more}t.status, t.id AS task_id, t.title, t.stage, t.is_blocked, t.parent_task_id,
    t.assignee_worker_id AS assignee_id, coalesce(w.handle, t.assignee_text) AS assignee,
    t.priority, t.tags, t.progress_percent, t.due_date, t.created_at, t.updated_at,
    a.attempt_id AS latest_attempt_id, a.latest_session_executor AS executor, a.state, a.ended_by,
    coalesce(a.execution_status = 'queued', false) AS is_queued, coalesce(a.delivery_state, 'none') AS delivery_state,
    a.checks_state, waiting.queue_position, a.lines_added, a.lines_deleted,
    (
      SELECT count(*)::int FROM approvals p
      WHERE p.project_id = $1 AND p.task_id = t.id AND p.status = 'pending'
    ) AS pending_approvals
  FROM (${picked}
  ) picked
  CROSS JOIN LATERAL (SELECT ${columnsOf(Task)} FROM tasks WHERE id = picked.id LIMIT 1) t
  LEFT JOIN workers w ON w.id = t.assignee_worker_id
  LEFT JOIN LATERAL (
    SELECT s.attempt_id, s.latest_session_executor, s.state, s.execution_status, s.delivery_state, s.checks_state,
      ${ENDED_BY} AS ended_by, newest.lines_added, newest.lines_deleted
    FROM (
      SELECT id, lines_added, lines_deleted
      FROM attempts
      WHERE task_id = t.id
      ORDER BY created_at DESC, id LIMIT 1
    ) newest
    JOIN attempt_summaries s ON s.attempt_id = newest.id
  ) a ON true
  LEFT JOIN LATERAL (
    SELECT ${QUEUE_POSITION}
    FROM turn_jobs t
    JOIN turn_shares s ON s.project_id = t.project_id${TURNS_AHEAD}
    WHERE t.attempt_id = a.attempt_id AND t.taken_at IS NULL
  ) waiting ON true
  ORDER BY t.number DESC`;

/** $1 project, $2 the columns, $3 cards of each: the newest, by the index of project, status and number. */
export const CARDS: PreparedStatement = {
  name: 'board_cards',
  text: cards(
    `
    SELECT t.id
    FROM unnest($2::text[]) AS board (status)
    CROSS JOIN LATERAL (
      SELECT id
      FROM listed_tasks
      WHERE project_id = $1 AND status = board.status
      ORDER BY number DESC
      LIMIT $3
    ) t`,
    '',
  ),
};

/** Matches that are counted; whoever needs more looks at a list. */
export const MAX_COUNTED = 1_000;
const COLUMNS = 'id, number, status, priority, tags, executors, assignee_text, assignee_worker_id';
/** The terms of the index may be cut. $5 priority, $6 tag, $7 executor, $8 assignee, $9 the worker who it is; null is
 *  any. */
const MATCHES = `($5::text IS NULL OR priority = $5) AND ($6::text IS NULL OR $6 = ANY(tags))
        AND ($7::text IS NULL OR $7 = ANY(executors))
        AND ($8::text IS NULL OR assignee_text = $8 OR assignee_worker_id = $9::uuid)`;

/** The same of tasks that match the terms $4. Where more match than are counted, a column that is still short of cards
 *  gets those that are older. */
export const FOUND_CARDS: PreparedStatement = {
  name: 'board_found_cards',
  text: `
  WITH newest AS MATERIALIZED (${foundTasks({
    columns: COLUMNS,
    query: '$4',
    below: `${Number.MAX_SAFE_INTEGER}`,
    within: MATCHES,
    limit: `${MAX_COUNTED + 1}`,
  })}
  ), tally AS (
    SELECT status, count(*)::int AS matches FROM newest GROUP BY status
  ), counted AS (
    SELECT count(*) > ${MAX_COUNTED} AS is_cut, min(number) AS oldest FROM newest
  )${cards(
    `
    SELECT id, matches
    FROM (SELECT id, status, row_number() OVER (PARTITION BY status ORDER BY number DESC) AS place FROM newest) n
    JOIN tally USING (status)
    WHERE place <= $3
    UNION ALL
    SELECT older.id, coalesce(matches, 0)
    FROM unnest($2::text[]) AS board (status)
    LEFT JOIN tally USING (status)
    CROSS JOIN LATERAL (${foundTasks({
      columns: COLUMNS,
      query: `($4 || ' & ''' || chr(1) || '~' || board.status || '''')`,
      below: '(SELECT oldest FROM counted)',
      within: MATCHES,
      limit: '$3 - coalesce(matches, 0)',
    })}
    ) older
    WHERE (SELECT is_cut FROM counted) AND coalesce(matches, 0) < $3`,
    'picked.matches, (SELECT is_cut FROM counted) AS is_cut, ',
  )}`,
};
