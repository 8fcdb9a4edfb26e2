import { Injectable } from '@nestjs/common';
import { NO_WORKER, type Principal, writerIdOf } from '../platform/access/principal.js';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import { Database, type PreparedStatement } from '../platform/database/database.js';
import { COLUMNS, NEWEST_ATTEMPT, newest, summaryOf } from './inbox.repository.js';
import { type EndNoticeOutput, MAX_NOTICES, type QuestionNoticeOutput } from './notices.dto.js';

/** Newest watched tasks of a person that are considered. */
const MAX_WATCHED = 250;

/** Of the person $3; whoever has read nothing yet has everything before them. */
const IS_UNREAD = (at: string) =>
  `${at} > coalesce((SELECT read_at FROM inbox_readers WHERE reader = $3), '-infinity') AS is_unread`;

/** $1 project scope, $2 who asks, $3 the person. */
const QUESTIONS: PreparedStatement = {
  name: 'inbox_questions',
  text: `
  SELECT ${COLUMNS}, q.id AS approval_id, q.summary, q.created_at AS at, ${IS_UNREAD('q.created_at')},
    EXISTS (SELECT FROM task_watchers w WHERE w.watcher = $3 AND w.task_id = t.id) AS is_watching
  FROM (${newest('id, number, attempt_id, task_id, created_at, summary', "approvals WHERE status = 'pending'")}
  ) q
  JOIN live_tasks t ON t.id = q.task_id
  JOIN ${summaryOf('q.attempt_id')}
  ORDER BY q.number DESC LIMIT ${MAX_NOTICES}`,
};

/** The same values. A run that had ended before somebody began to watch is no news. */
const ENDED: PreparedStatement = {
  name: 'inbox_ended',
  text: `
  SELECT ${COLUMNS}, s.failure_summary, s.delivery_state, e.completed_at AS at, ${IS_UNREAD('e.completed_at')},
    CASE
      WHEN s.state = 'completed' THEN 'completed'
      WHEN s.stop_requested_at IS NOT NULL THEN 'stopped'
      ELSE 'failed'
    END AS outcome
  FROM (
    SELECT task_id, since
    FROM task_watchers
    WHERE watcher = $3
    ORDER BY since DESC LIMIT ${MAX_WATCHED}
  ) w
  JOIN live_tasks t ON t.id = w.task_id
  JOIN LATERAL (
    SELECT name AS project_name
    FROM projects p
    WHERE p.id = t.project_id AND p.deleted_at IS NULL AND ($1::uuid[] IS NULL OR p.id = ANY($1))
      AND project_role(p.id, $2) IS NOT NULL
  ) p ON true
  JOIN ${summaryOf(NEWEST_ATTEMPT)}
  JOIN executions e ON e.id = s.latest_execution_process_id AND e.completed_at > w.since
  WHERE s.state IN ('completed', 'failed')
  ORDER BY e.completed_at DESC LIMIT ${MAX_NOTICES}`,
};

/** What a person asked to be told and how far they have read; a worker is one person, whatever it signs in with. */
@Injectable()
export class NoticesRepository {
  constructor(private readonly database: Database) {}

  listQuestions(principal: Principal): Promise<QuestionNoticeOutput[]> {
    return this.database.queryPrepared<QuestionNoticeOutput>(QUESTIONS, valuesOf(principal));
  }

  listEnded(principal: Principal): Promise<EndNoticeOutput[]> {
    return this.database.queryPrepared<EndNoticeOutput>(ENDED, valuesOf(principal));
  }

  /** @returns up to when everything is read now */
  async markRead(principal: Principal): Promise<Date> {
    const [row] = await this.database.query<{ read_at: Date }>(
      `INSERT INTO inbox_readers (reader, read_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (reader) DO UPDATE SET read_at = greatest(inbox_readers.read_at, excluded.read_at)
       RETURNING read_at`,
      [readerOf(principal)],
    );
    return row!.read_at;
  }

  async isWatching(principal: Principal, task_id: string): Promise<boolean> {
    const rows = await this.database.query('SELECT 1 FROM task_watchers WHERE watcher = $1 AND task_id = $2', [
      readerOf(principal),
      task_id,
    ]);
    return rows.length > 0;
  }

  /** Whoever watches already goes on as before. */
  async watch(principal: Principal, task_id: string): Promise<void> {
    await this.database.query('INSERT INTO task_watchers (watcher, task_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      readerOf(principal),
      task_id,
    ]);
  }

  async unwatch(principal: Principal, task_id: string): Promise<void> {
    await this.database.query('DELETE FROM task_watchers WHERE watcher = $1 AND task_id = $2', [
      readerOf(principal),
      task_id,
    ]);
  }
}

/** Whoever only reads is no worker yet, and is known by how they sign in. */
const readerOf = (principal: Principal): string =>
  principal.worker === NO_WORKER ? principal.id : writerIdOf(principal);

const valuesOf = (principal: Principal): unknown[] => [
  projectScope(principal),
  membershipOf(principal),
  readerOf(principal),
];
