import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { NOW } from '../platform/database/record-time.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { Delivery, type NewDelivery } from './delivery.entity.js';

/** A delivery with an unknown outcome. Its age is by the database's clock. */
export type UnsettledDelivery = Delivery & { age_secs: number };

/** Where a delivery has moved a target. */
export type MovedTarget = Pick<NewDelivery, 'attempt_id' | 'project_id' | 'repo_id' | 'target_branch'>;

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

  /** The newest effective delivery of each repository and kind. */
  async listLatest(attempt_id: string): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `SELECT DISTINCT ON (repo_id, kind) ${columnsOf(Delivery)}
       FROM deliveries
       WHERE attempt_id = $1 AND state IN ('merged', 'pushed', 'undoing', 'undone')
       ORDER BY repo_id, kind, number DESC`,
      [attempt_id],
    );
  }

  /** The merge of each repository that can be undone: the newest one not undone yet, even if its undo has begun. */
  async listUndoable(attempt_id: string): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `SELECT DISTINCT ON (repo_id) ${columnsOf(Delivery)}
       FROM deliveries
       WHERE attempt_id = $1 AND kind = 'merge' AND state IN ('merged', 'undoing')
       ORDER BY repo_id, number DESC`,
      [attempt_id],
    );
  }

  /** What has landed and was not undone, oldest first. */
  async listMerged(attempt_id: string): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `SELECT ${columnsOf(Delivery)} FROM deliveries WHERE attempt_id = $1 AND state = 'merged' ORDER BY number`,
      [attempt_id],
    );
  }

  /** Deliveries that a crash or a lost answer left undecided. */
  async listUnsettled(attempt_id: string, kind?: Delivery['kind']): Promise<UnsettledDelivery[]> {
    return this.database.query<UnsettledDelivery>(
      `SELECT ${columnsOf(Delivery)}, extract(epoch FROM clock_timestamp() - updated_at)::float8 AS age_secs
       FROM deliveries
       WHERE attempt_id = $1 AND state IN ('landing', 'undoing') AND kind = coalesce($2, kind)
       ORDER BY number`,
      [attempt_id, kind ?? null],
    );
  }

  /** Attempts with such deliveries, oldest first. */
  async listUnsettledAttempts(most: number): Promise<string[]> {
    const rows = await this.database.query<{ attempt_id: string }>(
      `SELECT d.attempt_id
       FROM deliveries d
       JOIN tasks t ON t.id = d.task_id
       WHERE d.state IN ('landing', 'undoing') AND t.deleted_at IS NULL
       GROUP BY d.attempt_id
       ORDER BY min(d.number)
       LIMIT $1`,
      [most],
    );
    return rows.map(({ attempt_id }) => attempt_id);
  }

  /** Latest attempts of tasks in review with the same target, newest first. */
  async listBeside({ attempt_id, project_id, repo_id, target_branch }: MovedTarget, most: number): Promise<string[]> {
    const values = [project_id, repo_id, target_branch, attempt_id, most];
    const rows = await this.database.query<{ id: string }>(LIST_BESIDE, values);
    return rows.map(({ id }) => id);
  }

  /** Attempts in which the agent that resolves an update has had its turns. */
  async listResolved(most: number): Promise<string[]> {
    const rows = await this.database.query<{ attempt_id: string }>(LIST_RESOLVED, [most]);
    return rows.map(({ attempt_id }) => attempt_id);
  }

  /** @param seen when its records were read, before the look that found otherwise
   *  @returns its task and project; null if the attempt has changed since */
  async correctConflict(
    _tx: Transaction,
    attempt_id: string,
    would_conflict: boolean,
    seen: string,
  ): Promise<Pick<Delivery, 'task_id' | 'project_id'> | null> {
    const values = [attempt_id, would_conflict, seen];
    const [row] = await this.database.query<Pick<Delivery, 'task_id' | 'project_id'>>(CORRECT_CONFLICT, values);
    return row ?? null;
  }

  /** A second landing of the same repository violates deliveries_one_landing and fails as repo_locked. */
  async insert(_tx: Transaction, delivery: NewDelivery): Promise<void> {
    await this.database.manager.insert(Delivery, delivery);
  }

  async update(
    _tx: Transaction,
    id: string,
    change: Partial<Pick<Delivery, 'state' | 'error_code' | 'moved_task' | 'remote' | 'target_before'>>,
  ): Promise<void> {
    await this.database.manager.update(Delivery, { id }, { ...change, updated_at: NOW });
  }
}

/** Whose agent had its turns, so that the update can be completed or is left. */
const LIST_RESOLVED = `
  SELECT a.id AS attempt_id
  FROM attempts a
  JOIN live_tasks t ON t.id = a.task_id
  WHERE a.resolving
    AND NOT EXISTS (SELECT FROM queued_messages q WHERE q.attempt_id = a.id)
    AND NOT EXISTS (SELECT FROM attempt_summaries s WHERE s.attempt_id = a.id AND s.state = 'running')
  ORDER BY a.number
  LIMIT $1`;

const LIST_BESIDE = `
  SELECT a.id
  FROM (
    SELECT id FROM listed_tasks WHERE project_id = $1 AND status = 'inreview' ORDER BY number DESC LIMIT $5
  ) t
  CROSS JOIN LATERAL (
    SELECT id, workspace_state FROM attempts WHERE task_id = t.id ORDER BY created_at DESC, id LIMIT 1
  ) a
  JOIN attempt_repos r ON r.attempt_id = a.id AND r.repo_id = $2 AND r.target_branch = $3
  WHERE a.workspace_state = 'ready' AND a.id <> $4`;

const CORRECT_CONFLICT = `
  WITH corrected AS (
    UPDATE attempts a
    SET would_conflict = $2, updated_at = now(),
      delivery_state = CASE WHEN a.delivery_state = 'conflicted' THEN 'ready' ELSE a.delivery_state END
    FROM attempt_summaries s
    WHERE a.id = $1 AND s.attempt_id = a.id AND s.updated_at = $3 AND s.state <> 'running'
    RETURNING a.task_id, a.project_id
  )
  SELECT task_id, project_id FROM corrected`;
