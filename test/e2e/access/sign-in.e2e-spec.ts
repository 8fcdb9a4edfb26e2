import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { call } from '../../support/plain-http.js';
import { SignInGround } from '../../support/sign-in-ground.js';
import { Visitor } from '../../support/visitor.js';

describe('a person who signs in by the identity provider', () => {
  const ground = SignInGround.use();
  const { base } = ground;

  it('comes back to where they were, with what their groups allow', async () => {
    const { url, status, session, visitor } = await ground.signIn('ada', `${base}/ui/inbox?of=me`);
    expect([url.origin + url.pathname + url.search, status]).toEqual([`${ground.page}/inbox?of=me`, 200]);
    expect(await ground.me(session)).toMatchObject({
      status: 200,
      kind: 'session',
      name: 'Ada',
      roles: ['write'],
      scopes: ['read', 'write', 'execute', 'approve', 'deliver'],
    });
    expect(session.cookie).toMatch(/^ty=[\w-]{43}$/); // that of the way there is gone
    expect(visitor.way.filter((one) => one.includes('page='))).toHaveLength(1);
  });

  it('sends the answer of the provider to nobody else, and keeps it nowhere', async () => {
    const { begun } = await ground.signIn();
    expect(begun.headers['cache-control']).toBe('no-store');
    const [cookie] = begun.headers['set-cookie'] as string[];
    expect(cookie).toMatch(
      /^ty_sign_in_[\w-]{16}=[\w-]+; Path=\/taskyard\/ui\/callback; Max-Age=900; HttpOnly; SameSite=Lax$/,
    );
    expect(Object.fromEntries(begun.url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${ground.page}/callback`,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it.each([
    ['https://evil.example/ui'],
    ['//evil.example/ui'],
    ['/\\evil.example/ui'],
    ['/api/projects'],
    [`${base}/uix`],
    [`${base}/ui/../../api`],
    ['ui/inbox'],
    ['javascript:alert(1)'],
  ])('is not sent to %s', async (return_to) => {
    const { url } = await ground.signIn('ada', return_to);
    expect(url.origin + url.pathname).toBe(ground.page);
  });

  it('may come by two tabs at once', async () => {
    const visitor = new Visitor();
    const asked = (place: string) =>
      visitor.open(`${ground.page}/sign-in?return_to=${base}/ui/${place}`, ground.provider.issuer);
    const [one, two] = [await asked('inbox'), await asked('projects')];
    for (const { url } of [one, two]) url.searchParams.set('login_hint', 'ada');
    const second = await visitor.open(two.url.href);
    const first = await visitor.open(one.url.href);
    expect([first.url.pathname, second.url.pathname]).toEqual([`${base}/ui/inbox`, `${base}/ui/projects`]);
    expect((await ground.me(ground.sessionAt(visitor, first.url))).status).toBe(200);
  });

  it('is led to the address that the provider knows first', async () => {
    const { origin } = new URL(ground.page);
    const { headers } = await call(
      `${origin.replace('127.0.0.1', 'localhost')}/ui/sign-in?return_to=${base}/ui/inbox`,
      {
        host: `localhost:${new URL(ground.page).port}`,
      },
    );
    expect(headers.location).toBe(`${ground.page}/sign-in?return_to=${encodeURIComponent(`${base}/ui/inbox`)}`);
  });

  it.each(['id_token', 'userinfo'] as const)('has groups that the provider says in %s', async (groupsIn) => {
    ground.says(groupsIn);
    const { session } = await ground.signIn('root');
    expect(await ground.me(session)).toMatchObject({ status: 200, roles: ['admin'] });
  });

  it('is told what is missing where no group has a role', async () => {
    const { status, body, session } = await ground.signIn('eve');
    expect([status, session['taskyard-page']]).toEqual([403, '']);
    expect(body).toContain('You are signed in as Eve, and may not enter');
    expect(body).toContain('names no group of yours in &#34;groups&#34;');
    ground.provider.groups.eve = ['/parent/eng', 'engineers'];
    expect((await ground.signIn('eve')).body).toContain('None of your groups has a role here: /parent/eng, engineers.');
    ground.provider.groups.eve = [];
  });

  it('is told that their groups are too many for the provider', async () => {
    ground.says('elsewhere');
    const { status, body } = await ground.signIn('root');
    expect([status, body]).toEqual([403, expect.stringContaining('because they are too many')]);
  });

  it('is refused with a code that was used, a state of nobody, and what another browser began', async () => {
    const { visitor, begun } = await ground.signIn();
    const callback = visitor.way.find((one) => one.startsWith(`${ground.page}/callback`))!;
    expect((await visitor.open(callback)).body).toContain('This sign-in was not begun here');
    const other = new Visitor();
    expect((await other.open(callback)).status).toBe(403);
    const wrong = new URL(callback);
    wrong.searchParams.set('state', 'of-nobody');
    expect((await visitor.open(wrong.href)).status).toBe(403);
    expect(begun.status).toBe(302);
  });

  it.each([
    ['code', 'made-up', 'This sign-in is over'],
    ['iss', 'http://localhost:1', 'That is not what was asked for'],
    ['error', 'access_denied', 'did not let you in'],
  ])('is refused in words where the %s is %s', async (name, value, words) => {
    const visitor = new Visitor();
    const begun = await visitor.open(`${ground.page}/sign-in`, ground.provider.issuer);
    begun.url.searchParams.set('login_hint', 'ada');
    const { url } = await visitor.open(begun.url.href, `${ground.page}/callback`);
    if (name === 'error') url.searchParams.delete('code');
    url.searchParams.set(name, value);
    const { status, body } = await visitor.open(url.href);
    expect([status, body]).toEqual([403, expect.stringContaining(words)]);
    expect(body).toContain(`href="${base}/ui/sign-in"`);
  });

  it('is told that the provider does not answer, before and after the way there', async () => {
    const visitor = new Visitor();
    const begun = await visitor.open(`${ground.page}/sign-in`, ground.provider.issuer);
    begun.url.searchParams.set('login_hint', 'ada');
    const { url } = await visitor.open(begun.url.href, `${ground.page}/callback`);
    ground.provider.answer = (request) => request.socket.destroy();
    const { status, body } = await visitor.open(url.href);
    expect([status, body]).toEqual([503, expect.stringContaining('does not answer')]);
    ground.provider.answer = null;
    expect((await ground.signIn()).status).toBe(200);
  });

  it('is another once the keys of the provider have changed, and still themselves', async () => {
    await ground.provider.rotateKeys();
    const { session } = await ground.signIn();
    expect((await ground.me(session)).status).toBe(200);
  });

  it('may not use a token instead', async () => {
    const headers = { 'content-type': 'application/json', origin: ground.server.url };
    const answer = await call(`${ground.server.url}/ui/session`, headers, 'POST', '{"token":"x"}');
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('PAGE_TOKEN_SIGN_IN')]);
  });

  it('signs out here and at the provider', async () => {
    const { session } = await ground.signIn();
    const headers = { ...session, origin: ground.server.url };
    const answer = await call(`${ground.server.url}/ui/sign-out`, headers, 'POST');
    const { location } = JSON.parse(answer.body) as Json;
    expect(location).toContain(`${ground.provider.issuer}/session/end?`);
    expect(location).toContain(`post_logout_redirect_uri=${encodeURIComponent(ground.page)}`);
    await eventually('the end of the session', async () => (await ground.me(session)).status === 401);
  });

  it('is signed out everywhere by an admin', async () => {
    const { session } = await ground.signIn('bob');
    const { session: admin } = await ground.signIn('root');
    const headers = { ...session, origin: ground.server.url, 'content-type': 'application/json' };
    const made = await call(`${ground.server.url}/api/projects`, headers, 'POST', '{"name":"Of Bob"}');
    expect(made.status).toBe(201);
    const [bob] = await ground.server.query<Json>("SELECT id FROM workers WHERE user_id LIKE '%|bob'");
    const ended = await call(
      `${ground.server.url}/api/sessions-of/${String(bob!.id)}`,
      { ...admin, origin: ground.server.url },
      'DELETE',
    );
    expect(JSON.parse(ended.body)).toEqual({ ended: 1 });
    await eventually('the end of the session', async () => (await ground.me(session)).status === 401);
    expect((await ground.me(admin)).status).toBe(200);
  });
});
