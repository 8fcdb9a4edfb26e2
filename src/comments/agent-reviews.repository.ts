import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AgentReview, type NewAgentReview, type StandingReview, type Submitted } from './agent-review.entity.js';

const ENDED_WITHOUT = 'it ended without a verdict';

/** How it stands is read from its run, so that whatever ends that tells it. */
const SELECT = `
  SELECT ${columnsOf(AgentReview, 'r')},
    CASE
      WHEN r.verdict IS NOT NULL THEN 'submitted'
      WHEN e.status IN ('queued', 'running') THEN 'running'
      ELSE 'errored'
    END AS state,
    CASE
      WHEN r.verdict IS NULL AND (e.id IS NULL OR e.completed_at IS NOT NULL)
        THEN coalesce(r.refusal, e.failure_summary, '${ENDED_WITHOUT}')
    END AS reason
  FROM agent_reviews r
  LEFT JOIN executions e ON e.id = r.execution_id`;

/** What second agents say. Whoever writes holds the lock of the attempt. */
@Injectable()
export class AgentReviewsRepository {
  constructor(private readonly database: Database) {}

  async findLatest(attempt_id: string): Promise<StandingReview | null> {
    const [review] = await this.database.query<StandingReview>(
      `${SELECT} WHERE r.attempt_id = $1 ORDER BY r.number DESC LIMIT 1`,
      [attempt_id],
    );
    return review ?? null;
  }

  async findOfRun(execution_id: string): Promise<StandingReview | null> {
    const [review] = await this.database.query<StandingReview>(`${SELECT} WHERE r.execution_id = $1`, [execution_id]);
    return review ?? null;
  }

  async insert(_tx: Transaction, review: NewAgentReview): Promise<void> {
    await this.database.manager.insert(AgentReview, { ...review, comment_ids: [] });
  }

  async setSubmitted(_tx: Transaction, id: string, { verdict, summary, comment_ids }: Submitted): Promise<void> {
    await this.database.query(
      `UPDATE agent_reviews SET verdict = $2, summary = $3, comment_ids = $4, submitted_at = now() WHERE id = $1`,
      [id, verdict, summary, comment_ids],
    );
  }
}
