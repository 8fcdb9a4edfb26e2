import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { SessionRenewal } from '../../../src/pages/session-renewal.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { PAGE, type SignedAs } from '../../support/oidc-provider.js';
import { call } from '../../support/plain-http.js';
import { SignInGround } from '../../support/sign-in-ground.js';

const ground = SignInGround.use();
const isOver = (session: Record<string, string>) => async () => (await ground.me(session)).status === 401;

describe('a session of somebody from the identity provider', () => {
  let renewal: SessionRenewal;
  beforeAll(() => {
    renewal = ground.server.app.get(SessionRenewal, { strict: false });
  });
  const renew = async () => {
    await ground.server.query('UPDATE page_sessions SET renew_at = now()');
    await renewal.renewDue();
  };

  it('has the rights of the groups that it has now, and the rights of none that it had', async () => {
    const { session } = await ground.signIn('bob');
    expect(await ground.me(session)).toMatchObject({ roles: ['write'] });
    ground.provider.groups.bob = ['taskyard-admins'];
    await renew();
    await eventually('the new rights', async () => String((await ground.me(session)).roles) === 'admin');
    ground.provider.groups.bob = ['eng'];
  });

  it.each(['id_token', 'userinfo'] as const)('is renewed again and again, by groups in %s', async (groupsIn) => {
    ground.says(groupsIn);
    const { session } = await ground.signIn();
    for (let times = 0; times < 3; times += 1) await renew();
    expect(await ground.me(session)).toMatchObject({ status: 200, roles: ['write'] });
  });

  it('ends with the last group that has a role', async () => {
    const { session } = await ground.signIn('bob');
    ground.provider.groups.bob = [];
    await renew();
    await eventually('its end', isOver(session));
    ground.provider.groups.bob = ['eng'];
  });

  it('goes on while the provider is away', async () => {
    const { session } = await ground.signIn();
    ground.provider.answer = (request) => request.socket.destroy();
    await renew();
    ground.provider.answer = (_, response) => response.writeHead(502).end('<html>');
    await renew();
    ground.provider.answer = null;
    await renew();
    expect((await ground.me(session)).status).toBe(200);
  });

  it('ends where the provider refuses to renew it', async () => {
    const { session } = await ground.signIn();
    ground.provider.answer = (request, response) => {
      if (!request.url?.startsWith('/token')) return ground.provider.pass(request, response);
      return response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    };
    await renew();
    await eventually('its end', isOver(session));
  });

  it('keeps no token of the provider that anybody could read', async () => {
    await ground.signIn();
    const rows = await ground.server.query<{ text: string }>('SELECT page_sessions::text AS text FROM page_sessions');
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toMatch(/eyJ|refresh/);
  });
});

describe('the log-out that a provider tells', () => {
  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const token = (claims: JWTPayload = {}, as: SignedAs = {}) =>
    ground.provider.sign(
      { aud: PAGE.client_id, sub: 'ada', events: EVENT, jti: crypto.randomUUID(), ...claims },
      { typ: 'logout+jwt', ...as },
    );
  const tell = async (logout_token: string) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ logout_token }).toString();
    return (await call(`${ground.server.url}/ui/backchannel-logout`, type, 'POST', body)).status;
  };

  it('ends all sessions of a person', async () => {
    const [one, two, other] = [await ground.signIn(), await ground.signIn(), await ground.signIn('root')];
    expect(await tell(await token())).toBe(200);
    for (const { session } of [one, two]) await eventually('the end', isOver(session));
    expect((await ground.me(other.session)).status).toBe(200);
  });

  it('ends one session at the provider alone', async () => {
    const [one, two] = [await ground.signIn(), await ground.signIn()];
    const rows = await ground.server.query<Json>(
      'SELECT provider_session AS sid FROM page_sessions ORDER BY created_at DESC LIMIT 2',
    );
    const sids = rows.map(({ sid }) => String(sid));
    expect(new Set(sids).size).toBe(2);
    expect(await tell(await token({ sub: undefined, sid: sids[1] }))).toBe(200);
    await eventually('the end', isOver(one.session));
    expect((await ground.me(two.session)).status).toBe(200);
  });

  it('counts once', async () => {
    const { session } = await ground.signIn();
    const told = await token({ sub: 'nobody' });
    expect([await tell(told), await tell(told)]).toEqual([200, 400]);
    expect((await ground.me(session)).status).toBe(200);
  });

  it.each<[string, JWTPayload]>([
    ['for another client', { aud: 'other' }],
    ['of another issuer', { iss: 'http://localhost:1' }],
    ['with a nonce', { nonce: 'n' }],
    ['of another event', { events: {} }],
    ['of nobody', { sub: undefined }],
    ['without an id', { jti: undefined }],
    ['of an hour ago', { iat: Math.floor(Date.now() / 1_000) - 3_600 }],
  ])('is refused %s', async (_, claims) => {
    const { session } = await ground.signIn();
    expect(await tell(await token(claims))).toBe(400);
    expect((await ground.me(session)).status).toBe(200);
  });

  it('is refused as nonsense, and signed by a stranger', async () => {
    expect(await tell('nonsense')).toBe(400);
    const [head, body] = (await token()).split('.');
    expect(await tell(`${head}.${body}.${Buffer.from('0'.repeat(64)).toString('base64url')}`)).toBe(400);
    expect((await call(`${ground.server.url}/ui/backchannel-logout`, {}, 'POST')).status).toBe(400);
  });

  it('ends streams, too', async () => {
    const { session } = await ground.signIn();
    const stream = await fetch(`${ground.server.url}/api/events`, {
      headers: { ...session, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text().catch(() => 'cut');
    expect(await tell(await token())).toBe(200);
    expect(await ended).toBeDefined();
  });
});
