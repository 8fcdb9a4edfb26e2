import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';

export interface NewPageSession {
  id: string;
  secret_hash: Buffer;
  principal: Principal;
  service_token_id: string | null;
  expires_at: Date;
  /** Of who signed in by the identity provider: `issuer|subject`, its session there, and its sealed tokens. */
  person: string | null;
  provider_session: string | null;
  tokens: Buffer | null;
  renew_at: Date | null;
}

export interface PageSession {
  id: string;
  principal: Principal;
}

/** A session whose person is asked for again. */
export interface RenewedSession extends PageSession {
  tokens: Buffer;
}

/** Which sessions end: of a person by the provider's name or as a worker, or of one session at the provider. */
export interface WhoseSessions {
  person: string | null;
  provider_session?: string | null;
  worker?: string;
}

const CREDENTIAL = "principal->'credential'->>'id' AS credential";

@Injectable()
export class PageSessionsRepository {
  constructor(private readonly database: Database) {}

  async insert(_tx: Transaction, session: NewPageSession): Promise<void> {
    const { id, secret_hash, principal, service_token_id, expires_at, person, provider_session } = session;
    await this.database.query(
      `INSERT INTO page_sessions (id, secret_hash, principal, service_token_id, expires_at, person, provider_session,
         tokens, renew_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ...[id, secret_hash, JSON.stringify(principal), service_token_id, expires_at, person, provider_session],
        ...[session.tokens, session.renew_at],
      ],
    );
  }

  /** The session, unless it or its token has expired by the clock of the database. */
  async findValid(secret_hash: Buffer): Promise<PageSession | null> {
    const [row] = await this.database.query<PageSession>(
      `SELECT s.id, s.principal
       FROM page_sessions s LEFT JOIN service_tokens t ON t.id = s.service_token_id
       WHERE s.secret_hash = $1 AND s.expires_at > now()
         AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
      [secret_hash],
    );
    return row ?? null;
  }

  /** @returns the ended session; null if there was none */
  async delete(_tx: Transaction, secret_hash: Buffer): Promise<{ credential: string; tokens: Buffer | null } | null> {
    const [row] = await this.database.query<{ credential: string; tokens: Buffer | null }>(
      `DELETE FROM page_sessions WHERE secret_hash = $1 RETURNING tokens, ${CREDENTIAL}`,
      [secret_hash],
    );
    return row ?? null;
  }

  /** Of a person and a session at the provider, those that are both. @returns the credentials of the ended sessions */
  async deleteOf(_tx: Transaction, { person, provider_session = null, worker }: WhoseSessions): Promise<string[]> {
    const rows = await this.database.query<{ credential: string }>(
      `DELETE FROM page_sessions
       WHERE (num_nonnulls($1::text, $2::text) > 0
           AND ($1 IS NULL OR person = $1) AND ($2 IS NULL OR provider_session = $2))
         OR principal->>'worker' = $3
       RETURNING ${CREDENTIAL}`,
      [person, provider_session, worker ?? null],
    );
    return rows.map(({ credential }) => credential);
  }

  /** Takes some of those that are due; others take them again after so many seconds unless they are kept until then. */
  async takeDue(most: number, againAfterSecs: number): Promise<RenewedSession[]> {
    return this.database.query<RenewedSession>(
      `UPDATE page_sessions SET renew_at = now() + $2 * interval '1 second'
       WHERE id IN (
         SELECT id FROM page_sessions WHERE renew_at <= now() AND expires_at > now()
         ORDER BY renew_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       RETURNING id, principal, tokens`,
      [most, againAfterSecs],
    );
  }

  async renew(_tx: Transaction, { id, principal, tokens }: RenewedSession, afterSecs: number): Promise<void> {
    await this.database.query(
      `UPDATE page_sessions SET principal = $2, tokens = $3, renew_at = now() + $4 * interval '1 second' WHERE id = $1`,
      [id, JSON.stringify(principal), tokens, afterSecs],
    );
  }

  async end(_tx: Transaction, id: string): Promise<void> {
    await this.database.query('DELETE FROM page_sessions WHERE id = $1', [id]);
  }

  async deleteEnded(_tx: Transaction): Promise<void> {
    await this.database.query('DELETE FROM page_sessions WHERE expires_at < now()');
    await this.database.query('DELETE FROM heard_logouts WHERE expires_at < now()');
  }

  /** Whether this log-out was not heard before. */
  async isFirstHeard(_tx: Transaction, jti: string, expires_at: Date): Promise<boolean> {
    const statement = 'INSERT INTO heard_logouts (jti, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    return (await this.database.affected(statement, [jti, expires_at])) > 0;
  }
}
