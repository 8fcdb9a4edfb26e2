import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { COOLDOWN_MS } from '../../../src/oidc/issuer-keys.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { McpClient } from '../../support/mcp-client.js';
import { OidcProvider, type SignedAs } from '../../support/oidc-provider.js';
import { RestClient } from '../../support/rest-client.js';

const PUBLIC_URL = 'https://taskyard.example';
const MCP = `${PUBLIC_URL}/mcp`;

describe('tokens of an identity provider', () => {
  let provider: OidcProvider;
  let server: InProcessServer;
  let callers = 0;
  beforeAll(async () => {
    provider = await OidcProvider.start();
    server = await InProcessServer.start({
      PUBLIC_URL,
      OIDC_ISSUER: provider.issuer,
      OIDC_ROLES: 'taskyard-admins=admin,eng=write,robots=write,*=read',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Each from an address of its own: who fails too often is not listened to. */
  const headers = (token: string) => ({
    authorization: `Bearer ${token}`,
    'x-forwarded-for': `192.0.2.${(callers += 1)}`,
  });
  const bearer = (token: string) => new RestClient(server.url, headers(token));
  const statusOf = async (token: string) => (await bearer(token).get('/api/projects')).status;
  const seconds = (later: number) => Math.floor(Date.now() / 1_000) + later;
  function passTime(ms: number): void {
    for (const clock of [Date, builtGlobals.Date]) {
      const { now } = clock;
      jest.spyOn(clock, 'now').mockImplementation(() => now() + ms);
    }
  }

  it('let in people who logged in by authorization code with PKCE, on REST and MCP', async () => {
    const token = await provider.tokenOf('ada', MCP);
    expect(await statusOf(token)).toBe(200);
    const client = await McpClient.connect(`${server.url}/mcp`, { authorization: `Bearer ${token}` });
    expect(await client.call('list_projects')).toMatchObject({ projects: [] });
    await client.close();
  });

  it('let in programs by client credentials', async () => {
    expect(await statusOf(await provider.tokenOfProgram(MCP))).toBe(200);
  });

  it.each(['', '/mcp', '/mcp/taskflow', '/mcp/colibri', '/mcp/approvals', '/api'])(
    'may be meant for the endpoint "%s"',
    async (path) => {
      expect(await statusOf(await provider.tokenOfProgram(PUBLIC_URL + path))).toBe(200);
    },
  );

  it('stay good while keys change, those of the new key from the next look on', async () => {
    const before = await provider.tokenOf('ada', MCP);
    expect(await statusOf(before)).toBe(200);
    await provider.rotateKeys();
    const after = await provider.tokenOf('ada', MCP);
    expect(await statusOf(before)).toBe(200);
    passTime(COOLDOWN_MS + 1);
    expect(await statusOf(after)).toBe(200);
    expect(await statusOf(before)).toBe(200);
  });

  it('that are unknown do not make the server ask for keys more than once in its pause', async () => {
    passTime(COOLDOWN_MS + 1);
    await statusOf(await provider.sign({ aud: MCP }));
    provider.asked.length = 0;
    const forged = await Promise.all(
      Array.from({ length: 50 }, (_, kid) => provider.sign({ aud: MCP }, { header: { kid: `unknown ${kid}` } })),
    );
    expect(new Set(await Promise.all(forged.map(statusOf)))).toEqual(new Set([401]));
    expect(provider.asked.length).toBeLessThanOrEqual(1);
  });

  it.each<[string, () => JWTPayload]>([
    ['that expired within the clock skew', () => ({ exp: seconds(-50) })],
    ['that begin within the clock skew', () => ({ nbf: seconds(50) })],
    ['with several audiences', () => ({ aud: ['https://other.example', MCP] })],
  ])('%s are let in', async (_, claims) => {
    expect(await statusOf(await provider.sign({ aud: MCP, ...claims() }))).toBe(200);
  });

  it.each<[string, () => JWTPayload, SignedAs]>([
    ['that expired', () => ({ exp: seconds(-70) }), {}],
    ['that are not valid yet', () => ({ nbf: seconds(70) }), {}],
    ['that never expire', () => ({ exp: undefined }), {}],
    ['of another issuer', () => ({ iss: 'https://other.example' }), {}],
    ['for another server', () => ({ aud: 'https://other.example/mcp' }), {}],
    ['for an address that begins like ours', () => ({ aud: `${PUBLIC_URL}.evil.example/mcp` }), {}],
    ['for the address that was called', () => ({ aud: server.url }), {}],
    ['for nobody', () => ({ aud: undefined }), {}],
    ['of nobody', () => ({ sub: undefined }), {}],
    ['of a subject that cannot be stored', () => ({ sub: 'a\0b' }), {}],
    ['that log out', () => ({}), { typ: 'logout+jwt' }],
    ['that identify', () => ({ nonce: 'n' }), { typ: 'JWT' }],
    ['bound to a key', () => ({ cnf: { jkt: 'x' } }), {}],
  ])('%s are refused', async (_, claims, as) => {
    const answer = await bearer(await provider.sign({ aud: MCP, ...claims() }, as)).get('/api/projects');
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated', retryable: false } });
  });

  it('are needed even by the owner of the machine', async () => {
    expect(await server.rest.get('/api/projects')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });
});
