import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ProviderClient } from '../oidc/provider-client.js';
import { SignInFailure } from '../oidc/sign-in-failure.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { PageSessionsRepository, type RenewedSession } from './page-sessions.repository.js';
import { PageSessions, RENEW_AFTER_SECS } from './page-sessions.service.js';
import { signedInAs } from './signed-in-person.js';

const LOOK_EVERY_MS = 10_000;
const AT_A_TIME = 20;
/** After a provider that was away, or a server that died meanwhile. */
const AGAIN_AFTER_SECS = 60;

/** Asks the identity provider anew, every few minutes, who the people at the page are and what groups they have. Who is
 *  refused is signed out; while the provider is away everybody stays. */
@Injectable()
export class SessionRenewal implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SessionRenewal.name);
  private timer: NodeJS.Timeout | undefined;
  private looking = Promise.resolve();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly provider: ProviderClient,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly sessionRows: PageSessionsRepository,
    private readonly sessions: PageSessions,
  ) {}

  onApplicationBootstrap(): void {
    const { OIDC_CLIENT_ID, PAGES, ROLE } = this.environment;
    if (OIDC_CLIENT_ID === '' || PAGES === 'off' || ROLE === 'runner') return;
    this.timer = setInterval(() => (this.looking = this.looking.then(() => this.renewDue())), LOOK_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Of some of the sessions whose time has come. */
  async renewDue(): Promise<void> {
    try {
      const due = await this.sessionRows.takeDue(AT_A_TIME, AGAIN_AFTER_SECS);
      await Promise.all(due.map((session) => this.renew(session)));
    } catch (error) {
      this.logger.error({ err: error }, 'sessions of the page could not be renewed');
    }
  }

  private async renew(session: RenewedSession): Promise<void> {
    const tokens = this.sessions.open(session.tokens, session.id);
    if (tokens?.refreshToken == null) return this.end(session, 'its key is lost');
    try {
      const identity = await this.provider.renew(tokens.refreshToken, tokens.idToken);
      const { expires_at } = session.principal.credential!;
      const person = signedInAs(identity, this.environment, expires_at!);
      if (person.user_id !== session.principal.user_id) return await this.end(session, 'it is another person now');
      if (person.scopes.length === 0) return await this.end(session, 'none of its groups has a role any more');
      await this.keep(session, person, this.sessions.seal(identity, session.id));
    } catch (error) {
      if (error instanceof SignInFailure && error.isRefusal) return this.end(session, error.words);
      this.logger.warn({ reason: (error as Error).message }, 'a session of the page is renewed later');
    }
    return undefined;
  }

  /** Streams go on unless the rights have changed. */
  private async keep(session: RenewedSession, person: Principal, tokens: Buffer): Promise<void> {
    const { name, roles, scopes, groups } = person;
    const principal = { ...session.principal, name, roles, scopes, groups };
    const hasChanged = !isDeepStrictEqual(principal, session.principal);
    await this.database.transaction(async (tx) => {
      await this.sessionRows.renew(tx, { ...session, principal, tokens }, RENEW_AFTER_SECS);
      if (hasChanged) await this.hub.announce(tx, `token:${principal.credential!.id}`);
    });
  }

  private async end({ id, principal }: RenewedSession, reason: string): Promise<void> {
    this.logger.log({ person: principal.user_id, reason }, 'a session of the page ended');
    await this.database.transaction(async (tx) => {
      await this.sessionRows.end(tx, id);
      await this.hub.announce(tx, `token:${principal.credential!.id}`);
    });
  }
}
