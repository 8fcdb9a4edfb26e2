import { Injectable } from '@nestjs/common';
import { projectScope } from '../platform/access/rights.js';
import type { Principal } from '../platform/access/principal.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { insertRecord } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { type NewServiceToken, ServiceToken } from './service-token.entity.js';

/** With the worker it acts as, by the user id or else the handle. */
export type TokenRow = ServiceToken & {
  user_id: string | null;
  handle: string | null;
  worker_type: 'human' | 'agent' | null;
};

const SELECT = `SELECT ${columnsOf(ServiceToken, 't')},
    coalesce(w.user_id, w.handle) AS user_id, w.handle, w.type AS worker_type
  FROM service_tokens t LEFT JOIN workers w ON w.id = t.worker_id`;

/** Tokens of the projects that the caller sees itself. */
const IN_SCOPE = '($1::uuid[] IS NULL OR t.project_ids <@ $1)';

@Injectable()
export class TokensRepository {
  constructor(private readonly database: Database) {}

  async list(principal: Principal, limit: number, cursor?: number): Promise<Page<TokenRow>> {
    const rows = await this.database.query<TokenRow>(
      `${SELECT}
       WHERE t.revoked_at IS NULL AND ${IN_SCOPE} AND ($2::bigint IS NULL OR t.number < $2)
       ORDER BY t.number DESC LIMIT $3`,
      [projectScope(principal), cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }

  /** The row, locked until the end of the transaction. @throws AppError token_not_found */
  async lock(_tx: Transaction, principal: Principal, id: string): Promise<TokenRow> {
    const [row] = await this.database.query<TokenRow>(
      `${SELECT}
       WHERE t.id = $2 AND t.revoked_at IS NULL AND ${IN_SCOPE}
       FOR UPDATE OF t`,
      [projectScope(principal), id],
    );
    if (!row) throw new AppError('token_not_found', { token_id: id });
    return row;
  }

  /** The token, unless it has expired by the clock of the database. */
  async findValid(token_hash: Buffer): Promise<TokenRow | null> {
    const [row] = await this.database.query<TokenRow>(
      `${SELECT}
       WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
      [token_hash],
    );
    return row ?? null;
  }

  /** Which of the projects do not exist. */
  async listUnknownProjects(project_ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT wanted.id FROM unnest($1::uuid[]) AS wanted (id)
       WHERE NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = wanted.id AND p.deleted_at IS NULL)`,
      [project_ids],
    );
    return rows.map(({ id }) => id);
  }

  insert(_tx: Transaction, token: NewServiceToken): Promise<Pick<ServiceToken, 'created_at'>> {
    return insertRecord(this.database.manager, ServiceToken, token);
  }

  /** Ends a token now or after a delay, but never later than it would have expired. */
  async endWithin(_tx: Transaction, id: string, secs: number): Promise<void> {
    await this.database.query(
      `UPDATE service_tokens
       SET expires_at = least(expires_at, now() + $2 * interval '1 second'),
         revoked_at = CASE WHEN $2 = 0 THEN now() END
       WHERE id = $1`,
      [id, secs],
    );
  }

  /** To the minute, so that a busy token does not write at each call. */
  async recordUse(id: string): Promise<void> {
    await this.database.query(
      `UPDATE service_tokens SET last_used_at = now()
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [id],
    );
  }
}
