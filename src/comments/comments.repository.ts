import { Injectable } from '@nestjs/common';
import { withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { Comment, type NewComment, type Sending, type StandingComment } from './comment.entity.js';

/** Read from the message and the turn themselves, so that whatever drops or ends them tells it. */
const STATE = `
  CASE
    WHEN EXISTS (SELECT FROM queued_messages q WHERE q.id = c.queued_as) THEN 'sent'
    ELSE coalesce((
      SELECT CASE
        WHEN bool_or(e.status IN ('queued', 'running')) THEN 'sent'
        WHEN bool_or(e.run_reason = 'codingagent' AND e.started_at IS NOT NULL) THEN 'answered'
      END
      FROM executions e
      WHERE e.attempt_id = c.attempt_id AND e.job_id = c.turn_job_id
    ), 'open')
  END AS state`;
const COLUMNS = columnsOf(Comment);
const SELECT = `SELECT ${columnsOf(Comment, 'c')}, ${STATE} FROM review_comments c`;

@Injectable()
export class CommentsRepository {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  async list(attempt_id: string, limit: number, cursor?: number): Promise<Page<StandingComment>> {
    const rows = await this.database.query<StandingComment>(
      withinBudget(`${SELECT} WHERE c.attempt_id = $1 AND c.number > $2 ORDER BY c.number LIMIT $3`, {
        columns: `${COLUMNS}, state`,
        long: ['path', 'lines', 'text'],
        order: 'number',
      }),
      [attempt_id, cursor ?? 0, limit + 1],
    );
    return toPage(rows, limit);
  }

  /** Those of the ids that are comments of the attempt, in the order of the changes. */
  listByIds(attempt_id: string, ids: readonly string[]): Promise<StandingComment[]> {
    return this.database.query<StandingComment>(
      `${SELECT} WHERE c.attempt_id = $1 AND c.id = ANY($2) ORDER BY c.path, c.line, c.number`,
      [attempt_id, ids],
    );
  }

  /** @throws AppError comment_not_found */
  async lock(_tx: Transaction, attempt_id: string, comment_id: string): Promise<StandingComment> {
    const [comment] = await this.database.query<StandingComment>(
      `${SELECT} WHERE c.attempt_id = $1 AND c.id = $2 FOR UPDATE OF c`,
      [attempt_id, comment_id],
    );
    if (!comment) throw new AppError('comment_not_found', { attempt_id, comment_id });
    return comment;
  }

  /** Of an attempt that the transaction has locked. */
  async count(_tx: Transaction, attempt_id: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM review_comments WHERE attempt_id = $1',
      [attempt_id],
    );
    return row!.count;
  }

  async insert(_tx: Transaction, ...comments: NewComment[]): Promise<void> {
    await this.database.manager.insert(Comment, comments);
  }

  async setText(_tx: Transaction, id: string, text: string): Promise<void> {
    await this.database.query('UPDATE review_comments SET text = $2, updated_at = clock_timestamp() WHERE id = $1', [
      id,
      text,
    ]);
  }

  async setSent(_tx: Transaction, ids: readonly string[], { turn_job_id, queued_as }: Sending): Promise<void> {
    await this.database.query(
      'UPDATE review_comments SET sent_at = now(), turn_job_id = $2, queued_as = $3 WHERE id = ANY($1)',
      [ids, turn_job_id, queued_as],
    );
  }

  /** The message with that number, which waited, is a turn now. */
  async setTurn(_tx: Transaction, queued_as: string, turn_job_id: string): Promise<void> {
    await this.database.query('UPDATE review_comments SET turn_job_id = $2, queued_as = NULL WHERE queued_as = $1', [
      queued_as,
      turn_job_id,
    ]);
  }

  async delete(_tx: Transaction, id: string): Promise<void> {
    await this.database.query('DELETE FROM review_comments WHERE id = $1', [id]);
  }

  /** With what is known of its reviews, by people and agents. */
  async deleteOfAttempt(attempt_id: string): Promise<void> {
    await this.database.query(
      `WITH reviews AS (DELETE FROM attempt_reviews WHERE attempt_id = $1),
         agents AS (DELETE FROM agent_reviews WHERE attempt_id = $1)
       DELETE FROM review_comments WHERE attempt_id = $1`,
      [attempt_id],
    );
  }
}
