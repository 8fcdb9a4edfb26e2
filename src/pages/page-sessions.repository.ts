import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';

export interface NewPageSession {
  id: string;
  secret_hash: Buffer;
  principal: Principal;
  service_token_id: string | null;
  expires_at: Date;
}

export interface PageSession {
  id: string;
  principal: Principal;
  expires_at: Date;
}

@Injectable()
export class PageSessionsRepository {
  constructor(private readonly database: Database) {}

  async insert(_tx: Transaction, { id, secret_hash, principal, service_token_id, expires_at }: NewPageSession) {
    await this.database.query(
      `INSERT INTO page_sessions (id, secret_hash, principal, service_token_id, expires_at)
       VALUES ($1, $2, $3, $4, $5)`,
      [id, secret_hash, JSON.stringify(principal), service_token_id, expires_at],
    );
  }

  /** The session, unless it or its token has expired by the clock of the database. */
  async findValid(secret_hash: Buffer): Promise<PageSession | null> {
    const [row] = await this.database.query<PageSession>(
      `SELECT s.id, s.principal, s.expires_at
       FROM page_sessions s LEFT JOIN service_tokens t ON t.id = s.service_token_id
       WHERE s.secret_hash = $1 AND s.expires_at > now()
         AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
      [secret_hash],
    );
    return row ?? null;
  }

  /** @returns the credential of the ended session; null if there was none */
  async delete(_tx: Transaction, secret_hash: Buffer): Promise<string | null> {
    const [row] = await this.database.query<{ credential: string }>(
      `DELETE FROM page_sessions WHERE secret_hash = $1 RETURNING principal->'credential'->>'id' AS credential`,
      [secret_hash],
    );
    return row?.credential ?? null;
  }

  async deleteEnded(_tx: Transaction): Promise<void> {
    await this.database.query('DELETE FROM page_sessions WHERE expires_at < now()');
  }
}
