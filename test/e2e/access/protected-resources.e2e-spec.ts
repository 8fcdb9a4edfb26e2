import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OidcProvider } from '../../support/oidc-provider.js';
import { call } from '../../support/plain-http.js';
import { TestServer } from '../../support/server.js';

const PUBLIC_URL = 'https://taskyard.example';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

describe('what clients of an identity provider are told', () => {
  let provider: OidcProvider;
  let server: TestServer;
  beforeAll(async () => {
    provider = await OidcProvider.start();
    server = await TestServer.start({
      PUBLIC_URL,
      OIDC_ISSUER: provider.issuer,
      OIDC_ROLES: 'eng=write,*=read',
      TRUSTED_PROXIES: '127.0.0.1',
      ALLOWED_ORIGINS: 'https://ui.example',
    });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });

  it.each([
    ['/mcp', '/mcp', 'read write'],
    ['/mcp/taskflow', '/mcp/taskflow', 'read write'],
    ['/mcp/colibri', '/mcp/colibri', 'read write'],
    ['/mcp/approvals', '/mcp/approvals', 'read approve'],
    ['/api', '/api', 'read write'],
    ['', '/mcp', 'read write'],
    ['/mcp?readonly=true', '/mcp', 'read write'],
  ])('by the public document %s', async (path, resource, scopes) => {
    for (const headers of [undefined, { origin: 'https://evil.example', host: 'evil.example' }]) {
      const answer = await call(`${server.url}${WELL_KNOWN}${path}`, headers);
      expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } });
      expect(JSON.parse(answer.body)).toMatchObject({
        resource: PUBLIC_URL + resource,
        authorization_servers: [provider.issuer],
        scopes_supported: scopes.split(' '),
        bearer_methods_supported: ['header'],
      });
    }
  });

  it.each([
    ['GET', '/mcp', '/mcp', 'read write'],
    ['HEAD', '/mcp', '/mcp', 'read write'],
    ['POST', '/mcp', '/mcp', 'read write'],
    ['DELETE', '/mcp', '/mcp', 'read write'],
    ['POST', '/mcp/taskflow?readonly=true', '/mcp/taskflow', 'read write'],
    ['POST', '/mcp/approvals', '/mcp/approvals', 'read approve'],
    ['GET', '/api/projects', '/api', 'read write'],
    ['GET', '/nothing', '/api', 'read write'],
  ])(
    'by the challenge to %s %s, before method, media and body are looked at',
    async (method, path, resource, scopes) => {
      const metadata = `resource_metadata="${PUBLIC_URL}${WELL_KNOWN}${resource}", scope="${scopes}"`;
      const none = await call(`${server.url}${path}`, { host: 'localhost' }, method);
      expect([none.status, none.headers['www-authenticate']]).toEqual([401, `Bearer ${metadata}`]);
      const wrong = await call(
        `${server.url}${path}`,
        { authorization: 'Bearer a.b.c', 'x-forwarded-for': '192.0.2.9' },
        method,
      );
      expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
        401,
        `Bearer error="invalid_token", ${metadata}`,
      ]);
    },
  );

  it('which pages may read', async () => {
    const answer = await call(`${server.url}/mcp`, { origin: 'https://ui.example' }, 'POST');
    expect(answer).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': 'https://ui.example' } });
    expect(answer.headers['access-control-expose-headers']).toContain('www-authenticate');
  });

  it('that the token cannot be checked now where the issuer is down, not that it is wrong', async () => {
    provider.answer = (request) => request.socket.destroy();
    const authorization = `Bearer ${await provider.sign({ aud: PUBLIC_URL })}`;
    const answer = await call(`${server.url}/mcp`, { authorization }, 'POST');
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      503,
      { code: 'auth_unavailable', retryable: true },
    ]);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });
});

describe('without an identity provider', () => {
  const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: 'a-long-random-token' });

  it('there are no documents, and the challenge names none', async () => {
    expect(await server.rest.get(`${WELL_KNOWN}/mcp`)).toMatchObject({
      status: 404,
      body: { code: 'route_not_found' },
    });
    expect((await server.rest.get('/api/projects')).headers.get('www-authenticate')).toBe('Bearer');
  });
});
