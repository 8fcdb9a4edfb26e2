import { randomBytes, createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';

// It warns of Node 20, where it works, and of what would matter beyond tests.
console.warn = console.info = () => undefined;
const { Provider } = await import('oidc-provider');
import type { ClientMetadata } from 'oidc-provider';
type Provider = InstanceType<typeof Provider>;

const SCOPES = 'read write approve admin';
const PROGRAM = { client_id: 'ci', client_secret: 'the-secret-of-ci' };
const REDIRECT = 'http://127.0.0.1:9/callback';
/** By which people sign in at the page. */
export const PAGE = { client_id: 'page', client_secret: 'the-secret-of-the-page' };
/** Where a provider says the groups of people: in the ID token like Keycloak, in userinfo like Okta, or nowhere but at
 *  another address, like Entra for who has very many. */
export type GroupsIn = 'id_token' | 'userinfo' | 'elsewhere';
const groupsOf: Record<string, string[]> = { ada: ['eng'], bob: ['eng'], root: ['taskyard-admins'], eve: [] };

export interface SignedAs {
  alg?: string;
  typ?: string;
  key?: JWK;
  header?: Record<string, unknown>;
}

/** A real identity provider on loopback. People log in by their name alone: it must never leave the tests. */
export class OidcProvider {
  /** How requests are answered, where not by the provider. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  /** Of the next sign-ins and refreshes. */
  groupsIn: GroupsIn = 'id_token';
  readonly groups = structuredClone(groupsOf);
  private provider!: Provider;
  private readonly keys: JWK[] = [];
  private page: string | null = null;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  /** @param name by which its browsers reach it */
  static async start(name = '127.0.0.1'): Promise<OidcProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = new OidcProvider(server, `http://${name}:${(server.address() as AddressInfo).port}`);
    await provider.rotateKeys();
    server.on('request', (request, response) => provider.serve(request, response));
    return provider;
  }

  /** Knows the page of a server from now on. @param page its address */
  serves(page: string): void {
    this.page = page;
    this.provider = this.newProvider();
  }

  /** From now on it signs by another key; the one before is still published. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const kid = randomBytes(8).toString('hex');
    this.keys.unshift({ ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' });
    this.provider = this.newProvider();
  }

  get publicKey(): JWK {
    const { d: _, ...known } = this.keys[0]!;
    return known;
  }

  /** A token of its own key with these claims, right unless they say otherwise. */
  async sign(claims: JWTPayload, { alg = 'ES256', typ = 'at+jwt', key = this.keys[0]!, header }: SignedAs = {}) {
    const now = Math.floor(Date.now() / 1_000);
    const given = { iss: this.issuer, sub: 'ada', iat: now, exp: now + 600, scope: 'read write', groups: ['eng'] };
    return new SignJWT({ ...given, ...claims })
      .setProtectedHeader({ alg, typ, kid: key.kid, ...header })
      .sign(await importJWK(key, alg));
  }

  /** A program's token by client credentials. */
  async tokenOfProgram(resource: string, scope = 'read write'): Promise<string> {
    return this.askToken({ grant_type: 'client_credentials', resource, scope });
  }

  /** A person's token by authorization code with PKCE. */
  async tokenOf(login_hint: string, resource: string, scope = 'read write'): Promise<string> {
    const code_verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: PROGRAM.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: `openid ${scope}`,
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
      login_hint,
    });
    const back = await follow(`${this.issuer}/auth?${query.toString()}`, REDIRECT);
    const code = back.searchParams.get('code');
    if (code === null) throw new Error(`no code: ${back.href}`);
    return this.askToken({ grant_type: 'authorization_code', code, code_verifier, redirect_uri: REDIRECT, resource });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async askToken(form: Record<string, string>): Promise<string> {
    const credentials = Buffer.from(`${PROGRAM.client_id}:${PROGRAM.client_secret}`).toString('base64');
    const answer = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams(form),
    });
    const { access_token, ...refusal } = (await answer.json()) as { access_token?: string };
    if (access_token === undefined) throw new Error(`no token: ${JSON.stringify(refusal)}`);
    return access_token;
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(request.url ?? '');
    if (this.answer) this.answer(request, response);
    else this.pass(request, response);
  }

  /** As the provider answers. */
  pass(request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.startsWith('/auto/'))
      this.consent(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    else void this.provider.callback()(request, response);
  }

  /** Whoever is named is logged in, and grants what is asked for. */
  private async consent(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await this.provider.interactionDetails(request, response);
    const accountId = (params.login_hint as string | undefined) ?? 'ada';
    const grant = new this.provider.Grant({ accountId, clientId: params.client_id as string });
    grant.addOIDCScope(params.scope as string);
    if (params.resource) grant.addResourceScope(params.resource as string, params.scope as string);
    const consent = { grantId: await grant.save() };
    await this.provider.interactionFinished(request, response, { login: { accountId }, consent });
  }

  private groupClaims(sub: string): Record<string, unknown> {
    if (this.groupsIn !== 'elsewhere') return { groups: this.groups[sub] ?? [] };
    const endpoint = 'https://graph.example/getMemberObjects';
    return { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint } } };
  }

  private newProvider(): Provider {
    return new Provider(this.issuer, {
      jwks: { keys: this.keys },
      cookies: { keys: ['cookies of a test'] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' }, // it has no RS256 key
      pkce: { required: () => true },
      scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
      claims: { openid: ['sub', 'name'], profile: ['groups', '_claim_names', '_claim_sources'] },
      conformIdTokenClaims: this.groupsIn === 'userinfo',
      issueRefreshToken: () => true,
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, name: nameOf(sub), ...this.groupClaims(sub) }),
      }),
      clients: [
        {
          ...PROGRAM,
          grant_types: ['client_credentials', 'authorization_code'],
          redirect_uris: [REDIRECT],
          application_type: 'native',
          response_types: ['code'],
        },
        ...(this.page === null ? [] : [pageClient(this.page)]),
      ],
      ttl: { Grant: 3_600, Interaction: 600, Session: 3_600 },
      features: {
        clientCredentials: { enabled: true },
        registration: { enabled: true },
        deviceFlow: { enabled: true },
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, audience) => ({
            audience,
            scope: SCOPES,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 3_600, // Gemini CLI takes tokens of five minutes for expired
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      extraTokenClaims: (_, token) =>
        'accountId' in token
          ? {
              name: nameOf(token.accountId),
              groups: this.groups[token.accountId],
            }
          : { groups: ['robots'] },
      interactions: { url: (_, { uid }) => `/auto/${uid}` },
    });
  }
}

const nameOf = (account: string): string => `${account[0]!.toUpperCase()}${account.slice(1)}`;

const pageClient = (page: string): ClientMetadata => ({
  ...PAGE,
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  application_type: page.startsWith('https:') ? 'web' : 'native', // its addresses are on loopback
  redirect_uris: [`${page}/callback`],
  post_logout_redirect_uris: [page],
  backchannel_logout_uri: `${page}/backchannel-logout`,
  backchannel_logout_session_required: true,
});

/** As a browser does, with cookies, until it is sent to the client. */
export async function follow(start: string, goal: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hops = 0; !url.href.startsWith(goal); hops += 1) {
    if (hops === 10) throw new Error(`sent in a circle, at last to ${url.href}`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${url.href} answered ${answer.status}: ${await answer.text()}`);
    url = new URL(next, url);
  }
  return url;
}
