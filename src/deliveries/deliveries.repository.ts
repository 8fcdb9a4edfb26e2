import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { Delivery, type NewDelivery } from './delivery.entity.js';

@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; callers have resolved the project for their principal. */
  async listOfProject(project_id: string, limit: number, cursor?: number): Promise<Page<Delivery>> {
    const rows = await this.database.query<Delivery>(
      `SELECT ${columnsOf(Delivery)}
       FROM deliveries
       WHERE project_id = $1 AND ($2::bigint IS NULL OR number < $2)
       ORDER BY number DESC
       LIMIT $3`,
      [project_id, cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }

  /** The newest of each repository and kind that did anything. */
  async listLatest(attempt_id: string): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `SELECT DISTINCT ON (repo_id, kind) ${columnsOf(Delivery)}
       FROM deliveries
       WHERE attempt_id = $1 AND state IN ('merged', 'pushed', 'undone')
       ORDER BY repo_id, kind, number DESC`,
      [attempt_id],
    );
  }

  /** The merge of each repository that can be undone: the newest one that was not. */
  async listUndoable(attempt_id: string): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `SELECT DISTINCT ON (repo_id) ${columnsOf(Delivery)}
       FROM deliveries
       WHERE attempt_id = $1 AND kind = 'merge' AND state = 'merged'
       ORDER BY repo_id, number DESC`,
      [attempt_id],
    );
  }

  /** What a crash or a lost answer left undecided. */
  async listLanding(attempt_id: string): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `SELECT ${columnsOf(Delivery)} FROM deliveries WHERE attempt_id = $1 AND state = 'landing' ORDER BY number`,
      [attempt_id],
    );
  }

  /** A second landing of the same repository clashes with deliveries_one_landing, which is repo_locked. */
  async insert(_tx: Transaction, delivery: NewDelivery): Promise<void> {
    await this.database.manager.insert(Delivery, delivery);
  }

  async update(
    _tx: Transaction,
    id: string,
    change: Partial<Pick<Delivery, 'state' | 'error_code' | 'moved_task' | 'remote' | 'target_before'>>,
  ): Promise<void> {
    await this.database.manager.update(Delivery, { id }, { ...change, updated_at: new Date() });
  }
}
