import { Injectable } from '@nestjs/common';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import type { Principal } from '../platform/access/principal.js';
import type { ContinuationCause } from '../continuations/continuation.entity.js';
import { Database, type PreparedStatement } from '../platform/database/database.js';
import { type Key, orderOfKey, rowsOfKey } from '../platform/database/rows-of-key.js';
import type { TextTimes } from '../platform/database/text-times.js';
import type { DeliveryState } from '../tasks/task.dto.js';

export interface WaitingTask {
  task_id: string;
  title: string;
  project_id: string;
  project_name: string;
  attempt_id: string | null;
  executor: string | null;
  delivery_state: DeliveryState;
  execution_status: string | null;
  failure_summary: string | null;
  waits_since: Date;
}

export interface ExhaustedTask extends Omit<WaitingTask, 'execution_status' | 'failure_summary'> {
  cause: ContinuationCause;
  reason: string;
}

/** Newest ones considered, of all projects and of each: those that have gone on since are left out. */
const NEWEST = 1_000;
const NEWEST_OF_PROJECT = 250;

/** The newest rows of each project that the caller sees, with its name, by the index of project, more of the key and
 *  number: what others hold is not read. They come in order, so that whoever looks something up for each row ends with
 *  the page: no join may sort. $1 project scope, $2 worker. */
export const newest = (columns: string, source: string, more: Key = {}): string => {
  const key = { project_id: 'visible.project', ...more };
  return `
    SELECT ${columns}, project_name
    FROM (
      SELECT id AS project, name AS project_name
      FROM projects
      WHERE deleted_at IS NULL AND ($1::uuid[] IS NULL OR id = ANY($1)) AND project_role(id, $2) IS NOT NULL
    ) visible
    CROSS JOIN LATERAL (
      SELECT ${columns}
      FROM ${source} AND ${rowsOfKey(key)}
      ORDER BY ${orderOfKey(key)} LIMIT ${NEWEST_OF_PROJECT}
    ) found
    ORDER BY number DESC LIMIT ${NEWEST}`;
};
export const COLUMNS = `t.id AS task_id, t.title, t.project_id, project_name, s.attempt_id,
    s.latest_session_executor AS executor`;
export const NEWEST_ATTEMPT = `(
    SELECT id
    FROM attempts
    WHERE task_id = t.id
    ORDER BY created_at DESC, id LIMIT 1
  )`;
const DELIVERY_STATE = "coalesce(s.delivery_state, 'none') AS delivery_state";
/** One look-up for each row: a join might make the summaries of all attempts. */
export const summaryOf = (attempt_id: string): string =>
  `LATERAL (
    SELECT attempt_id, latest_session_executor, latest_execution_process_id, execution_status, failure_summary, state,
      delivery_state, stop_requested_at, updated_at
    FROM attempt_summaries
    WHERE attempt_id = ${attempt_id} LIMIT 1
  ) s ON true`;
/** The same of a task that lists have. */
const listedTask = (task_id: string): string =>
  `LATERAL (SELECT id, title, project_id, status FROM listed_tasks WHERE id = ${task_id} LIMIT 1) t ON true`;

export const FAILED: PreparedStatement = {
  name: 'inbox_failed',
  text: `
  SELECT ${COLUMNS}, ${DELIVERY_STATE}, s.execution_status, s.failure_summary, e.completed_at AS waits_since
  FROM (${newest(
    'id, number, attempt_id, task_id, completed_at',
    "executions WHERE status IN ('failed', 'killed') AND run_reason <> 'devserver'",
  )}
  ) e
  JOIN ${listedTask('e.task_id')}
  JOIN ${summaryOf('e.attempt_id')}
  WHERE t.status IN ('todo', 'inprogress', 'inreview') AND s.latest_execution_process_id = e.id
    AND e.attempt_id = ${NEWEST_ATTEMPT}
  ORDER BY e.number DESC LIMIT $3`,
};

export const REVIEWS: PreparedStatement = {
  name: 'inbox_reviews',
  text: `
  SELECT ${COLUMNS}, ${DELIVERY_STATE}, NULL AS execution_status, NULL AS failure_summary,
    coalesce(s.updated_at, t.updated_at) AS waits_since
  FROM (${newest('id, number, title, project_id, updated_at', 'listed_tasks WHERE true', { stage: "'VERIFY'" })}
  ) t
  LEFT JOIN ${summaryOf(NEWEST_ATTEMPT)}
  WHERE s.state IS DISTINCT FROM 'failed'
  ORDER BY t.number DESC LIMIT $3`,
};

const EXHAUSTED: PreparedStatement = {
  name: 'inbox_exhausted',
  text: `
  SELECT ${COLUMNS}, ${DELIVERY_STATE}, c.cause, c.reason, c.updated_at AS waits_since
  FROM (${newest(
    'id, number, attempt_id, task_id, cause, reason, updated_at',
    "continuations WHERE state = 'exhausted' AND NOT is_past",
  )}
  ) c
  JOIN ${listedTask('c.task_id')}
  JOIN ${summaryOf('c.attempt_id')}
  WHERE t.status IN ('todo', 'inprogress', 'inreview') AND c.attempt_id = ${NEWEST_ATTEMPT}
  ORDER BY c.number DESC LIMIT $3`,
};

@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  listFailed(principal: Principal, limit: number): Promise<TextTimes<WaitingTask>[]> {
    return this.list(FAILED, principal, limit);
  }

  listReviews(principal: Principal, limit: number): Promise<TextTimes<WaitingTask>[]> {
    return this.list(REVIEWS, principal, limit);
  }

  listExhausted(principal: Principal, limit: number): Promise<TextTimes<ExhaustedTask>[]> {
    return this.list(EXHAUSTED, principal, limit);
  }

  private list<T extends object>(statement: PreparedStatement, principal: Principal, limit: number) {
    return this.database.queryPrepared<T>(statement, [projectScope(principal), membershipOf(principal), limit]);
  }
}
