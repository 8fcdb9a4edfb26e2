import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { People } from '../oidc/people.js';
import { NO_WORKER, type Principal } from '../platform/access/principal.js';
import { tokenDigest } from '../platform/access/bearer-tokens.js';
import { sessionSecret } from '../platform/access/session-cookie.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { SecretBox } from '../secrets/secret-box.js';
import { type PageSession, PageSessionsRepository, type WhoseSessions } from './page-sessions.repository.js';

/** A working day, then the person signs in again. */
const LIFE_MS = 8 * 3_600_000;
/** How often the identity provider is asked whether its person may still be here. */
export const RENEW_AFTER_SECS = 300;
/** A session that nothing renews ends early, for nobody would hear that its person has left. */
const UNRENEWED_MS = 3_600_000;
const newHalf = () => randomBytes(32).toString('base64url');

/** The part of a session that the identity provider knows. */
export interface AtProvider {
  person: string;
  provider_session: string | null;
  idToken: string;
  refreshToken: string | null;
}
export type SealedTokens = Pick<AtProvider, 'idToken' | 'refreshToken'>;

/** The halves of the secret, and the lifetime. */
export interface BegunSession {
  cookie: string;
  page: string;
  lifeSecs: number;
}

/** Sessions of people at the page. Each has the rights of the token it began with, and ends with that token; or those
 *  of who signed in by the identity provider, as that says. */
@Injectable()
export class PageSessions {
  constructor(
    private readonly database: Database,
    private readonly sessionRows: PageSessionsRepository,
    private readonly people: People,
    private readonly hub: ChangeHub,
    private readonly box: SecretBox,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @param holder of the given token, or who signed in at the provider */
  async begin(holder: Principal, atProvider: AtProvider | null = null): Promise<BegunSession> {
    const id = newId();
    const life = atProvider !== null && atProvider.refreshToken === null ? UNRENEWED_MS : LIFE_MS;
    const given = atProvider === null ? (holder.credential?.expires_at ?? Infinity) : Infinity;
    const ends = Math.min(Date.now() + life, given);
    const isService = holder.kind === 'token' && holder.credential !== null;
    const ownId = atProvider === null ? holder.credential?.id : undefined;
    const credential = { id: ownId ?? `session:${id}`, expires_at: ends };
    const [cookie, page] = [newHalf(), newHalf()];
    await this.database.transaction(async (tx) => {
      await this.sessionRows.deleteEnded(tx);
      await this.sessionRows.insert(tx, {
        id,
        secret_hash: this.digest(sessionSecret(cookie, page)),
        principal: { ...holder, kind: 'session', credential },
        service_token_id: isService ? credential.id : null,
        expires_at: new Date(ends),
        person: atProvider?.person ?? holder.user_id,
        provider_session: atProvider?.provider_session ?? null,
        tokens: atProvider && this.seal(atProvider, id),
        renew_at: atProvider?.refreshToken ? new Date(Date.now() + RENEW_AFTER_SECS * 1_000) : null,
      });
    });
    return { cookie, page, lifeSecs: Math.floor((ends - Date.now()) / 1_000) };
  }

  /** Null if it has ended. */
  async findPrincipal(secret: string): Promise<Principal | null> {
    const session = await this.sessionRows.findValid(this.digest(secret));
    return session && this.principalOf(session);
  }

  /** Takes effect on every server within a second. @returns the last ID token of who signed in by the provider */
  async end(secret: string): Promise<string | null> {
    const ended = await this.database.transaction(async (tx) => {
      const session = await this.sessionRows.delete(tx, this.digest(secret));
      if (session !== null) await this.hub.announce(tx, `token:${session.credential}`);
      return session;
    });
    const id = /^session:(.+)$/.exec(ended?.credential ?? '')?.[1];
    return ended?.tokens && id ? (this.open(ended.tokens, id)?.idToken ?? null) : null;
  }

  /** @returns how many there were */
  endOf(whose: WhoseSessions): Promise<number> {
    return this.database.transaction((tx) => this.endIn(tx, whose));
  }

  /** By the word of the provider, which counts once. @returns whether it did now */
  endOnce(whose: WhoseSessions, jti: string, expires_at: Date): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const isFirst = await this.sessionRows.isFirstHeard(tx, jti, expires_at);
      if (isFirst) await this.endIn(tx, whose);
      return isFirst;
    });
  }

  private async endIn(tx: Transaction, whose: WhoseSessions): Promise<number> {
    const credentials = await this.sessionRows.deleteOf(tx, whose);
    for (const credential of credentials) await this.hub.announce(tx, `token:${credential}`);
    return credentials.length;
  }

  /** Of the session with that id alone. */
  seal({ idToken, refreshToken }: SealedTokens, id: string): Buffer {
    return this.box.seal(JSON.stringify({ idToken, refreshToken }), `page session ${id}`);
  }

  /** Null where the key is lost. */
  open(tokens: Buffer, id: string): SealedTokens | null {
    const opened = this.box.open(tokens, `page session ${id}`);
    return opened === null ? null : (JSON.parse(opened) as SealedTokens);
  }

  /** Somebody who became a worker since the session began is one in it, too. */
  private async principalOf({ principal }: PageSession): Promise<Principal> {
    if (principal.worker !== NO_WORKER || principal.user_id === null) return principal;
    const person = await this.people.findByUserId(principal.user_id);
    return person ? { ...principal, worker: person.id, actor: { name: person.handle, type: person.type } } : principal;
  }

  /** Another TASKFLOW_SERVICE_TOKEN signs everybody out. */
  private digest(secret: string): Buffer {
    return tokenDigest(`${secret}\n${this.environment.TASKFLOW_SERVICE_TOKEN}`);
  }
}
