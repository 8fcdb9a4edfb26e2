import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { ownPort } from './own-port.js';
import { InProcessServer } from './in-process-server.js';
import type { Json } from './mcp-client.js';
import { OidcProvider, PAGE } from './oidc-provider.js';
import { call } from './plain-http.js';
import { TlsFront } from './tls-front.js';
import { Visitor } from './visitor.js';

const BASE = '/taskyard';
/** As Keycloak names a group, and as Entra does; who is in one may write. */
export const GROUP_BY_PATH = '/company/engineering';
export const GROUP_BY_ID = '6f1ed002-ab5b-4f0f-9b0e-3c8a4f6e7d21';

/** A server whose people sign in by an identity provider on another site, below a path of a proxy. */
export class SignInGround {
  readonly base = BASE;
  provider!: OidcProvider;
  server!: InProcessServer;
  /** Address of the page. */
  page!: string;
  private front?: TlsFront;

  /** @param hasFront a proxy ends TLS before the server */
  static use(hasFront = false): SignInGround {
    const ground = new SignInGround();
    beforeAll(() => ground.start(hasFront));
    afterAll(async () => {
      await ground.server.stop();
      await ground.provider.stop();
      ground.front?.stop();
    });
    afterEach(() => {
      ground.provider.answer = null;
      if (ground.provider.groupsIn !== 'id_token') ground.says('id_token'); // which forgets what it has given out
    });
    return ground;
  }

  private async start(hasFront: boolean): Promise<void> {
    this.provider = await OidcProvider.start('localhost');
    const PORT = String(await ownPort());
    const behind = `http://127.0.0.1:${PORT}`;
    if (hasFront) this.front = await TlsFront.start(BASE, behind);
    const PUBLIC_URL = this.front?.url ?? behind;
    this.page = `${PUBLIC_URL}${BASE}/ui`;
    this.says('id_token');
    this.server = await InProcessServer.start({
      PORT,
      PUBLIC_URL,
      TRUSTED_PROXIES: hasFront ? '127.0.0.1' : '',
      BASE_PATH: BASE,
      OIDC_ISSUER: this.provider.issuer,
      OIDC_ROLES: `taskyard-admins=admin,eng=write,${GROUP_BY_PATH}=write,${GROUP_BY_ID}=write`,
      OIDC_CLIENT_ID: PAGE.client_id,
      OIDC_CLIENT_SECRET: PAGE.client_secret,
    });
  }

  /** Where the provider says groups from now on. */
  says(groupsIn: OidcProvider['groupsIn']): void {
    this.provider.groupsIn = groupsIn;
    this.provider.serves(this.page);
  }

  /** @param who an account of the provider */
  async signIn(who = 'ada', return_to = `${BASE}/ui`, visitor = new Visitor()) {
    const asked = new URL(`${this.page}/sign-in`);
    asked.searchParams.set('return_to', return_to);
    const begun = await visitor.open(asked.href, this.provider.issuer);
    begun.url.searchParams.set('login_hint', who);
    const visit = await visitor.open(begun.url.href);
    return { visitor, ...visit, session: this.sessionAt(visitor, visit.url), begun };
  }

  /** Both halves of the session that a visitor has now. */
  sessionAt(visitor: Visitor, url: URL): Record<string, string> {
    return {
      cookie: visitor.cookieFor(new URL(this.page)),
      'taskyard-page': /^#page=([\w-]{43})$/.exec(url.hash)?.[1] ?? '',
    };
  }

  async me(session: Record<string, string>): Promise<Json> {
    const answer = await call(`${this.server.url}/api/me`, session);
    return { status: answer.status, ...(JSON.parse(answer.body) as Json) };
  }
}
