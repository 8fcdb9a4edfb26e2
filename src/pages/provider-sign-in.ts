import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ProviderClient, type ProvedIdentity } from '../oidc/provider-client.js';
import { SignInFailure } from '../oidc/sign-in-failure.js';
import { AccessWatch } from '../platform/access/access-watch.js';
import { People } from '../oidc/people.js';
import { sessionCookie } from '../platform/access/session-cookie.js';
import { SecretBox } from '../secrets/secret-box.js';
import { shellFor } from './serve-pages.js';
import { PageSessions } from './page-sessions.service.js';
import { Transactions } from './sign-in-transaction.js';
import { NoEntry } from './no-entry.js';
import { signedInAs } from './signed-in-person.js';
import { sendWords } from './words-page.js';

const LOST = new SignInFailure(
  'This sign-in was not begun here',
  'It was begun in another browser, finished already, or took longer than 15 minutes. Sign in again.',
  true,
);

/** Sign-in at the page by the identity provider: there, and back to where the person was. */
@Injectable()
export class ProviderSignIn {
  private readonly logger = new Logger(ProviderSignIn.name);
  private readonly transactions: Transactions;
  private links = '';

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly provider: ProviderClient,
    private readonly sessions: PageSessions,
    private readonly people: People,
    private readonly watch: AccessWatch,
    box: SecretBox,
  ) {
    this.transactions = new Transactions(box, `${environment.BASE_PATH}/ui/callback`);
  }

  /** The page's own address, as the provider sends people back to it. */
  private get page(): string {
    return `${this.environment.PUBLIC_URL}${this.environment.BASE_PATH}/ui`;
  }

  serve(server: FastifyInstance): void {
    if (this.environment.OIDC_CLIENT_ID === '') return;
    this.links = (shellFor(this.environment).match(/<link rel="(icon|stylesheet)"[^>]*>/g) ?? []).join('\n    ');
    const inWords =
      (route: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
      async (request: FastifyRequest, reply: FastifyReply) => {
        void reply.header('cache-control', 'no-store');
        try {
          return await route(request, reply);
        } catch (error) {
          if (!(error instanceof SignInFailure)) throw error;
          return this.refuse(request, reply, error);
        }
      };
    server.get(
      '/ui/sign-in',
      inWords((request, reply) => this.begin(request, reply)),
    );
    server.get(
      '/ui/callback',
      inWords((request, reply) => this.finish(request, reply)),
    );
  }

  /** The provider sends people back to PUBLIC_URL, where the cookie has to be. */
  private async begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const return_to = this.placeIn((request.query as { return_to?: unknown }).return_to);
    if (request.headers.host !== new URL(this.environment.PUBLIC_URL).host)
      return reply.redirect(`${this.page}/sign-in?return_to=${encodeURIComponent(return_to)}`);
    const { url, secrets } = await this.provider.begin(`${this.page}/callback`);
    return reply.header('set-cookie', this.transactions.begin(request, secrets, return_to)).redirect(url);
  }

  private async finish(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { state } = request.query as { state?: unknown };
    const transaction = typeof state === 'string' ? this.transactions.find(request, state) : null;
    if (transaction === null) throw LOST;
    void reply.header('set-cookie', this.transactions.end(request, transaction.state));
    const current = new URL(`${this.page}/callback${/\?.*$/s.exec(request.url)?.[0] ?? ''}`);
    const identity = await this.provider.finish(current, transaction);
    const { cookie, page, lifeSecs } = await this.enter(identity);
    // the half behind the # is sent to no server; the other one comes with requests of the page alone
    return reply
      .header('set-cookie', sessionCookie(request, cookie, lifeSecs))
      .redirect(`${transaction.return_to}#page=${page}`);
  }

  /** @throws SignInFailure where no group of the person has a role */
  private async enter(identity: ProvedIdentity) {
    const { claims, idToken, refreshToken } = identity;
    const holder = signedInAs(identity, this.environment, Infinity);
    if (holder.scopes.length === 0) {
      const wayOut = await this.provider.signOutUrl(idToken, this.page);
      throw new NoEntry(identity, holder.name, this.environment, wayOut);
    }
    const person = await this.people.findByUserId(holder.user_id!);
    const known = person && { worker: person.id, actor: { name: person.handle, type: person.type } };
    this.watch.signedIn(holder);
    const provider_session = typeof claims.sid === 'string' ? claims.sid : null;
    return this.sessions.begin(
      { ...holder, ...known },
      { person: holder.user_id!, provider_session, idToken, refreshToken },
    );
  }

  /** Only a place of this page; whatever else is asked for leads to its beginning. */
  private placeIn(asked: unknown): string {
    const { pathname: home } = new URL(this.page);
    if (typeof asked !== 'string' || !asked.startsWith('/') || !URL.canParse(asked, this.page)) return home;
    const { origin, pathname, search } = new URL(asked, this.page);
    const isHere = origin === new URL(this.page).origin && (pathname === home || pathname.startsWith(`${home}/`));
    return isHere ? pathname + search : home;
  }

  private refuse(request: FastifyRequest, reply: FastifyReply, failure: SignInFailure): FastifyReply {
    const { title, words, isRefusal, cause } = failure;
    this.logger.warn({ err: cause, request_id: request.id }, `nobody was signed in: ${title}`);
    const again = { words: 'Sign in', address: this.signInAgain(request) };
    const out = failure instanceof NoEntry && failure.wayOut;
    const ways = out ? [again, { words: 'Use another account', address: out }] : [again];
    return sendWords(reply.status(isRefusal ? 403 : 503), this.links, { title, words, ways });
  }

  /** To the place to which the refused sign-in led. */
  private signInAgain(request: FastifyRequest): string {
    const { state, return_to } = request.query as { state?: unknown; return_to?: unknown };
    const begun = typeof state === 'string' ? this.transactions.find(request, state) : null;
    const place = this.placeIn(begun?.return_to ?? return_to);
    const { pathname: home } = new URL(this.page);
    return `${home}/sign-in${place === home ? '' : `?return_to=${encodeURIComponent(place)}`}`;
  }
}
