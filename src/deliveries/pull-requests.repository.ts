import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { NOW } from '../platform/database/record-time.js';
import { type NewPullRequestRow, PullRequestRow } from './pull-request.entity.js';

const COLUMNS = columnsOf(PullRequestRow);

type Time = () => string;
type Change = Partial<NewPullRequestRow & Record<'synced_at' | 'next_sync_at' | 'updated_at', Time>>;

/** A time so many seconds from now, by the database's clock. */
export function dueIn(secs: number): Time {
  return () => `now() + interval '${secs} seconds'`;
}

/** The same, but never again once the last change is so many days ago. */
export function dueWhileRecent(secs: number, days: number): Time {
  return () => `CASE WHEN updated_at > now() - interval '${days} days' THEN ${dueIn(secs)()} END`;
}

@Injectable()
export class PullRequestsRepository {
  constructor(private readonly database: Database) {}

  /** The newest of each repository. Callers have resolved the attempt for their principal. */
  /** The next look at the open ones of an attempt is due now. */
  async lookSoon(_tx: Transaction, attempt_id: string): Promise<void> {
    await this.database.query(
      "UPDATE pull_requests SET next_sync_at = now() WHERE attempt_id = $1 AND state IN ('open', 'queued')",
      [attempt_id],
    );
  }

  async listLatest(attempt_id: string): Promise<PullRequestRow[]> {
    return this.database.query<PullRequestRow>(
      `SELECT DISTINCT ON (repo_id) ${COLUMNS}
       FROM pull_requests
       WHERE attempt_id = $1
       ORDER BY repo_id, number DESC`,
      [attempt_id],
    );
  }

  async find(id: string): Promise<PullRequestRow | null> {
    const [row] = await this.database.query<PullRequestRow>(`SELECT ${COLUMNS} FROM pull_requests WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** The row until the end of the transaction. */
  async lock(_tx: Transaction, id: string): Promise<PullRequestRow> {
    const [row] = await this.database.query<PullRequestRow>(
      `SELECT ${COLUMNS} FROM pull_requests WHERE id = $1 FOR NO KEY UPDATE`,
      [id],
    );
    return row!;
  }

  /** The row until the end of the transaction. @returns null if a read of the forge was stored since it was known so */
  async lockUnread(
    _tx: Transaction,
    { id, synced_at }: Pick<PullRequestRow, 'id' | 'synced_at'>,
  ): Promise<PullRequestRow | null> {
    const [row] = await this.database.query<PullRequestRow>(
      `SELECT ${COLUMNS} FROM pull_requests WHERE id = $1 AND synced_at = $2 FOR NO KEY UPDATE`,
      [id, synced_at],
    );
    return row ?? null;
  }

  async findByForge(host: string, repository: string, pr_number: number): Promise<PullRequestRow | null> {
    const [row] = await this.database.query<PullRequestRow>(
      `SELECT ${COLUMNS}
       FROM pull_requests
       WHERE forge_host = $1 AND forge_repository = $2 AND pr_number = $3`,
      [host, repository, pr_number],
    );
    return row ?? null;
  }

  /** @throws the clash with pull_requests_one_open or pull_requests_forge_key, which is repo_locked */
  async insert(_tx: Transaction, row: NewPullRequestRow, firstLookSecs: number): Promise<void> {
    const times = { synced_at: NOW, next_sync_at: dueIn(firstLookSecs) };
    await this.database.manager.insert(PullRequestRow, { ...row, ...times });
  }

  async update(_tx: Transaction, id: string, change: Change): Promise<void> {
    await this.database.manager.update(PullRequestRow, { id }, change);
  }

  /** Claims those that are due, so that no other process polls them. @param leaseSecs time after which they are due
   *  again */
  async takeDue(hosts: readonly string[], most: number, leaseSecs: number): Promise<PullRequestRow[]> {
    return this.database.query<PullRequestRow>(
      `UPDATE pull_requests
       SET next_sync_at = now() + $3 * interval '1 second'
       WHERE id IN (
         SELECT id FROM pull_requests
         WHERE next_sync_at <= now() AND forge_host = ANY($1)
         ORDER BY next_sync_at
         LIMIT $2
         FOR NO KEY UPDATE SKIP LOCKED
       )
       RETURNING ${COLUMNS}`,
      [hosts, most, leaseSecs],
    );
  }

  /** Makes them due now, after an event there. @param pr_number null for all of the repository */
  async wake(host: string, repository: string, pr_number: number | null): Promise<number> {
    return this.database.affected(
      `UPDATE pull_requests
       SET next_sync_at = now(), quiet_polls = 0
       WHERE forge_host = $1 AND lower(forge_repository) = lower($2) AND ($3::int IS NULL OR pr_number = $3)`,
      [host, repository, pr_number],
    );
  }

  /** Whether a webhook of this body was not taken within the last month; remembers it. */
  async isFirstHeard(digest: Buffer): Promise<boolean> {
    await this.database.query("DELETE FROM webhook_bodies WHERE received_at < now() - interval '30 days'");
    return (
      (await this.database.affected('INSERT INTO webhook_bodies (digest) VALUES ($1) ON CONFLICT DO NOTHING', [
        digest,
      ])) > 0
    );
  }
}
