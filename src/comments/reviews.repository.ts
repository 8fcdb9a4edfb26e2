import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import type { Mark } from '../workspaces/artifact-host.js';

/** What an attempt held when somebody last sent comments on it. */
export interface Review {
  marks: Mark[];
  reviewed_at: Date;
}

@Injectable()
export class ReviewsRepository {
  constructor(private readonly database: Database) {}

  async find(attempt_id: string, reviewer: string): Promise<Review | null> {
    const [review] = await this.database.query<Review>(
      'SELECT marks, reviewed_at FROM attempt_reviews WHERE attempt_id = $1 AND reviewer = $2',
      [attempt_id, reviewer],
    );
    return review ?? null;
  }

  async put(_tx: Transaction, attempt_id: string, reviewer: string, marks: readonly Mark[]): Promise<void> {
    await this.database.query(
      `INSERT INTO attempt_reviews (attempt_id, reviewer, marks) VALUES ($1, $2, $3)
       ON CONFLICT ON CONSTRAINT attempt_reviews_pkey DO UPDATE SET marks = excluded.marks, reviewed_at = now()`,
      [attempt_id, reviewer, JSON.stringify(marks)],
    );
  }
}
