import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { type Answer, call, codeOf } from '../../support/plain-http.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';

const SECRET = 'the-one-token-that-may-do-everything';
const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: SECRET, TRUSTED_PROXIES: '127.0.0.1' });
let admin: RestClient;
beforeAll(() => {
  admin = new RestClient(server.url, { authorization: `Bearer ${SECRET}` });
});

const JSON_BODY = { 'content-type': 'application/json' };
const signIn = (token: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call(`${server.url}/ui/session`, { ...JSON_BODY, origin: server.url, ...headers }, 'POST', JSON.stringify({ token }));
const cookieOf = ({ headers }: Answer): string => (headers['set-cookie'] as string[])[0]!;
const pairOf = (answer: Answer): string => cookieOf(answer).split(';')[0]!;
/** Both halves of the session. */
const sessionOf = (answer: Answer) => ({
  cookie: pairOf(answer),
  'taskyard-page': (JSON.parse(answer.body) as Json).page_secret as string,
});
type Session = ReturnType<typeof sessionOf>;
const me = (session: Session, headers: Record<string, string> = {}) =>
  call(`${server.url}/api/me`, { ...session, ...headers });
const givenToken = (fields: object = {}): Promise<Json> =>
  admin.answers(201, 'POST', '/api/tokens', { name: 'ada at the page', scopes: ['read'], ...fields });

describe('a person at the page', () => {
  it('gives a token once and is known by a cookie that no script can read', async () => {
    const answer = await signIn(SECRET);
    expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^{"page_secret":"[\w-]{43}"}$/) });
    expect(cookieOf(answer)).toMatch(/^ty=[\w-]{43}; Path=\/; Max-Age=2[78]\d{3}; HttpOnly; SameSite=Strict$/);
    const known = await me(sessionOf(answer));
    expect(JSON.parse(known.body)).toMatchObject({ kind: 'session', name: 'service', projects: null });
  });

  it('has a cookie with the host prefix behind TLS, and the other one is none there', async () => {
    const tls = { 'x-forwarded-proto': 'https', origin: server.url.replace('http:', 'https:') };
    const answer = await signIn(SECRET, tls);
    expect(cookieOf(answer)).toMatch(/^__Host-ty=[\w-]{43};.*; Secure$/);
    expect((await me(sessionOf(answer), tls)).status).toBe(200);
    expect((await me({ ...sessionOf(answer), cookie: pairOf(answer).replace('__Host-', '') }, tls)).status).toBe(401);
  });

  it('may what the token allowed, and no more', async () => {
    const { token } = await givenToken();
    const session = sessionOf(await signIn(String(token)));
    const headers = { ...JSON_BODY, ...session, origin: server.url };
    const refused = await call(`${server.url}/api/projects`, headers, 'POST', '{"name":"Shop"}');
    expect([refused.status, codeOf(refused)]).toEqual([403, 'insufficient_scope']);
    expect((await call(`${server.url}/api/projects`, session)).status).toBe(200);
  });

  it('is signed out with the token, at once', async () => {
    const { token, token_id } = await givenToken();
    const session = sessionOf(await signIn(String(token)));
    expect((await me(session)).status).toBe(200);
    await admin.does('DELETE', `/api/tokens/${String(token_id)}`);
    await expect(eventuallyRefused(session)).resolves.toBe(401);
  });

  it('signs out, and the cookie opens nothing any more', async () => {
    const session = sessionOf(await signIn(SECRET));
    expect((await me(session)).status).toBe(200);
    const answer = await call(`${server.url}/ui/sign-out`, { ...session, origin: server.url }, 'POST');
    expect(JSON.parse(answer.body)).toEqual({ location: '/ui' });
    expect(cookieOf(answer)).toMatch(/^ty=; Path=\/; Max-Age=0/);
    await expect(eventuallyRefused(session)).resolves.toBe(401);
  });

  it('is nobody by a wrong token, a made-up cookie, or a cookie sent as a bearer', async () => {
    const wrong = await signIn('not-the-token-of-this-server-at-all');
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
    expect((await me({ ...sessionOf(await signIn(SECRET)), cookie: 'ty=made-up' })).status).toBe(401);
    const [, secret] = pairOf(await signIn(SECRET)).split('=');
    expect((await call(`${server.url}/api/me`, { authorization: `Bearer ${secret}` })).status).toBe(401);
  });

  it('is known by one credential alone', async () => {
    const session = sessionOf(await signIn(SECRET));
    expect((await me(session, { authorization: `Bearer ${SECRET}` })).status).toBe(401);
  });

  it.each([
    ['another page', { origin: 'http://evil.example' }],
    ['nowhere', {}],
    ['another port of the host', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ])('is not acted for by %s', async (_, from) => {
    const session = sessionOf(await signIn(SECRET));
    const answer = await call(
      `${server.url}/api/projects`,
      { ...JSON_BODY, ...session, ...from },
      'POST',
      '{"name":"X"}',
    );
    expect([answer.status, codeOf(answer)]).toEqual([403, 'origin_forbidden']);
  });

  it('is not acted for by a form', async () => {
    const headers = { 'content-type': 'text/plain', ...sessionOf(await signIn(SECRET)), origin: server.url };
    expect((await call(`${server.url}/api/projects`, headers, 'POST', '{"name":"X"}')).status).toBe(415);
  });

  it('S8: is not known by the cookie alone, which every port of the host is sent, nor by half of another', async () => {
    const [mine, other] = [sessionOf(await signIn(SECRET)), sessionOf(await signIn(SECRET))];
    const forged = { ...JSON_BODY, cookie: mine.cookie, origin: server.url };
    const made = '{"name":"mine","scopes":["admin"]}';
    expect((await call(`${server.url}/api/tokens`, forged, 'POST', made)).status).toBe(401);
    for (const place of ['/api/me', '/api/events', '/api/projects'])
      expect((await call(server.url + place, { cookie: mine.cookie })).status).toBe(401);
    expect((await me({ ...mine, 'taskyard-page': other['taskyard-page'] })).status).toBe(401);
    expect((await call(`${server.url}/api/me`, { 'taskyard-page': mine['taskyard-page'] })).status).toBe(401);
    expect((await me(mine)).status).toBe(200);
  });

  it('finds the secret nowhere in the database', async () => {
    const [, secret = ''] = pairOf(await signIn(SECRET)).split('=');
    const rows = await server.query<{ text: string }>('SELECT page_sessions::text AS text FROM page_sessions');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ text }) => text.includes(secret) || text.includes(SECRET))).toBe(false);
  });
});

async function eventuallyRefused(session: Session): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { status } = await me(session);
    if (status !== 200) return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return 200;
}

describe('the page', () => {
  let other: TestServer | undefined;
  afterEach(() => other?.stop());

  it('is a shell without data that nobody keeps, under a policy without anything inline', async () => {
    for (const address of ['/ui', '/ui/p/x/a/y/changes']) {
      const { status, headers, body } = await call(`${server.url}${address}`);
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toMatch(/^default-src 'none';script-src 'self';style-src 'self';/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      const [, script] = /src="(\/ui\/assets\/main-\w+\.js)"/.exec(body) ?? [];
      const asset = await call(`${server.url}${script}`);
      expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    expect(await call(`${server.url}/`)).toMatchObject({ status: 302, headers: { location: '/ui' } });
    expect((await call(`${server.url}/ui/sign-in`)).body).toContain('data-sign-in="token"'); // there is no provider
    expect((await call(`${server.url}/ui/assets/../../../package.json`)).body).not.toContain('"name"');
  });

  it.each<[string, number, Record<string, string>]>([
    ['a link of any site', 200, { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
    ['no frame of another site', 403, { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['no script of another site', 403, { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['no form of another site', 403, { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', origin: 'null' }],
  ])('opens for %s', async (_, status, fetched) => {
    const headers = { 'sec-fetch-site': 'cross-site', ...fetched };
    for (const place of ['/ui', '/ui/p/x', '/']) {
      const answer = await call(`${server.url}${place}`, headers);
      expect(status === 200 ? answer.status < 400 : answer.status === 403).toBe(true);
    }
    expect((await call(`${server.url}/api/me`, headers)).status).toBe(403);
  });

  it('stands under the path of a proxy, whether that passes it on or not', async () => {
    other = await TestServer.start({ BASE_PATH: '/yard/' });
    for (const address of ['/yard/ui', '/ui']) {
      const { body } = await call(`${other.url}${address}`);
      expect(body).toContain('data-base="/yard"');
      const [, script] = /src="(\/yard\/ui\/assets\/main-\w+\.js)"/.exec(body) ?? [];
      expect((await call(`${other.url}${script}`)).status).toBe(200);
    }
    expect((await call(`${other.url}/yard/api/projects`)).status).toBe(200);
    expect(await call(`${other.url}/yard`)).toMatchObject({ status: 302, headers: { location: '/yard/ui' } });
  });

  it('is not there where it is switched off', async () => {
    other = await TestServer.start({ PAGES: 'off' });
    expect((await call(`${other.url}/ui`)).status).toBe(404);
    expect((await call(`${other.url}/`)).status).toBe(404);
  });
});
