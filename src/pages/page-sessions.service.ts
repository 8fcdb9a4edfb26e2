import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { People } from '../oidc/jwt-source.js';
import { NO_WORKER, type Principal } from '../platform/access/principal.js';
import { tokenDigest } from '../platform/access/bearer-tokens.js';
import { sessionSecret } from '../platform/access/session-cookie.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { type PageSession, PageSessionsRepository } from './page-sessions.repository.js';

/** A working day, then the person signs in again. */
const LIFE_MS = 12 * 3_600_000;
const newHalf = () => randomBytes(32).toString('base64url');

/** Sessions of people at the page. Each has the rights of the token it began with, and ends with that token. */
@Injectable()
export class PageSessions {
  constructor(
    private readonly database: Database,
    private readonly sessionRows: PageSessionsRepository,
    private readonly people: People,
    private readonly hub: ChangeHub,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @param holder of the given token. @returns the halves of the secret, and its lifetime */
  async begin(holder: Principal): Promise<{ cookie: string; page: string; lifeSecs: number }> {
    const id = newId();
    const ends = Math.min(Date.now() + LIFE_MS, holder.credential?.expires_at ?? Infinity);
    const isService = holder.kind === 'token' && holder.credential !== null;
    const credential = { id: holder.credential?.id ?? `session:${id}`, expires_at: ends };
    const [cookie, page] = [newHalf(), newHalf()];
    await this.database.transaction(async (tx) => {
      await this.sessionRows.deleteEnded(tx);
      await this.sessionRows.insert(tx, {
        id,
        secret_hash: this.digest(sessionSecret(cookie, page)),
        principal: { ...holder, kind: 'session', credential },
        service_token_id: isService ? credential.id : null,
        expires_at: new Date(ends),
      });
    });
    return { cookie, page, lifeSecs: Math.floor((ends - Date.now()) / 1_000) };
  }

  /** Null if it has ended. */
  async findPrincipal(secret: string): Promise<Principal | null> {
    const session = await this.sessionRows.findValid(this.digest(secret));
    return session && this.principalOf(session);
  }

  /** Takes effect on every server within a second. */
  async end(secret: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const credential = await this.sessionRows.delete(tx, this.digest(secret));
      if (credential !== null) await this.hub.announce(tx, `token:${credential}`);
    });
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
