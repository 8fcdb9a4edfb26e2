import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';

export interface KeyScope {
  operation: string;
  principal_id: string;
  key: string;
}
/** Parameters of a statement that claims a key itself, with a result known beforehand. */
export interface KeyClaim extends KeyScope {
  request_hash: string;
  result: object;
  waitMs: number;
}
export interface IdempotencyRecord extends KeyScope {
  request_hash: string;
  state: 'in_progress' | 'completed';
  result: unknown;
  project_id: string | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'operation, principal_id, key, request_hash, state, result, project_id, created_at, updated_at';

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /** Waits at most `waitMs` for a transaction that holds the same key. @returns false if the key exists */
  async claim(
    _tx: Transaction,
    { operation, principal_id, key }: KeyScope,
    request_hash: string,
    project_id: string | null,
    waitMs: number,
  ): Promise<boolean> {
    const [row] = await this.database.query<{ inserted: number }>(CLAIM, [
      operation,
      principal_id,
      key,
      request_hash,
      project_id,
      `${waitMs}ms`,
    ]);
    return row?.inserted === 1;
  }

  async find({ operation, principal_id, key }: KeyScope): Promise<IdempotencyRecord | null> {
    const [record] = await this.database.query<IdempotencyRecord>(
      `SELECT ${COLUMNS}
       FROM idempotency_keys
       WHERE operation = $1 AND principal_id = $2 AND key = $3`,
      [operation, principal_id, key],
    );
    return record ?? null;
  }

  async listByKey(principal_id: string, key: string): Promise<IdempotencyRecord[]> {
    return this.database.query<IdempotencyRecord>(
      `SELECT ${COLUMNS}
       FROM idempotency_keys
       WHERE principal_id = $1 AND key = $2
       ORDER BY created_at DESC LIMIT 20`,
      [principal_id, key],
    );
  }

  async complete(_tx: Transaction, { operation, principal_id, key }: KeyScope, result: unknown): Promise<void> {
    await this.database.query(
      `UPDATE idempotency_keys SET state = 'completed', result = $4, updated_at = now()
       WHERE operation = $1 AND principal_id = $2 AND key = $3`,
      [operation, principal_id, key, JSON.stringify(result)],
    );
  }

  /** Deletes what is older than its time to live, in seconds; 0 keeps it. @returns how many were deleted */
  async prune(completedTtl: number, inProgressTtl: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM idempotency_keys
       WHERE (state = 'completed' AND $1 > 0 AND updated_at < now() - $1 * interval '1 second')
         OR (state = 'in_progress' AND $2 > 0 AND updated_at < now() - $2 * interval '1 second')`,
      [completedTtl, inProgressTtl],
    );
  }
}

/** The wait for the lock is bounded from before the insert until after it. */
const CLAIM = `
  WITH patience AS (
    SELECT set_config('lock_timeout', $6, true) AS bounded
  ), claimed AS (
    INSERT INTO idempotency_keys (operation, principal_id, key, request_hash, state, project_id, created_at, updated_at)
    SELECT $1, $2, $3, $4, 'in_progress', $5::uuid, now(), now() FROM patience WHERE bounded IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING key
  )
  SELECT count(*)::int AS inserted, set_config('lock_timeout', '0', true) FROM claimed`;
