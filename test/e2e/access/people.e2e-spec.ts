import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestGateway } from '../../support/gateway.js';
import type { Json } from '../../support/mcp-client.js';
import { OidcProvider } from '../../support/oidc-provider.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';

const PUBLIC_URL = 'https://taskyard.example';
const METADATA = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource`;

describe('people of an identity provider', () => {
  let provider: OidcProvider;
  let server: TestServer;
  beforeAll(async () => {
    provider = await OidcProvider.start();
    server = await TestServer.start({
      PUBLIC_URL,
      OIDC_ISSUER: provider.issuer,
      OIDC_ROLES: 'taskyard-admins=admin,eng=write,*=read',
    });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });

  const as = async (sub: string, claims: object = {}) =>
    new RestClient(server.url, { authorization: `Bearer ${await provider.sign({ aud: PUBLIC_URL, sub, ...claims })}` });
  const workersOf = (sub: string) =>
    server.query<{ id: string; name: string; handle: string; type: string }>(
      'SELECT id, name, handle, type FROM workers WHERE user_id = $1',
      [`${provider.issuer}|${sub}`],
    );
  const callTool = (name: string, args: object): Json => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: args },
  });

  it('are nobody here until they write, then a worker with a project of their own', async () => {
    const ada = await as('1', { name: 'Ada Lovelace' });
    expect(await ada.get('/api/projects')).toMatchObject({ status: 200, body: { projects: [] } });
    expect(await workersOf('1')).toEqual([]);
    const { project_id } = await ada.does('POST', '/api/projects', { name: 'Engine' });
    expect(await workersOf('1')).toMatchObject([{ name: 'Ada Lovelace', handle: '@ada-lovelace', type: 'human' }]);
    const { projects } = await ada.does('GET', '/api/projects');
    expect(projects.map(({ name }: Json) => name as string)).toEqual(['Engine', 'Default']);
    expect(await ada.get(`/api/projects/${project_id}/tasks`)).toMatchObject({ status: 200 });
    expect(await ada.get('/api/me')).toMatchObject({
      body: { kind: 'person', user_id: `${provider.issuer}|1`, name: 'Ada Lovelace' },
    });
  });

  it('are who their issuer says, whatever they are called', async () => {
    const before = await (await as('1', { name: 'Ada King' })).does('POST', '/api/projects', { name: 'Again' });
    expect(await workersOf('1')).toMatchObject([{ name: 'Ada Lovelace' }]);
    const other = await as('2', { name: 'Ada Lovelace', email: 'ada@example.org' });
    await other.does('POST', '/api/projects', { name: 'Other' });
    expect((await workersOf('2'))[0]!.handle).toMatch(/^@ada-lovelace-\w{6}$/);
    expect(await other.get(`/api/projects/${before.project_id}/tasks`)).toMatchObject({
      status: 404,
      body: { code: 'project_not_found' },
    });
  });

  it('become one worker, however many of their first writes arrive together', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, (_, jti) => as('3', { jti: String(jti) })));
    await Promise.all(clients.map((one, number) => one.does('POST', '/api/projects', { name: `Project ${number}` })));
    expect(await workersOf('3')).toHaveLength(1);
    expect((await clients[0]!.does('GET', '/api/projects')).projects).toHaveLength(9);
  });

  it('write by tools too, and reading by them leaves no trace', async () => {
    const bob = await as('4');
    const task = callTool('task_create', { title: 'Learn' });
    expect((await bob.post('/mcp/colibri', callTool('task_list', {}))).status).toBe(200);
    expect(await workersOf('4')).toEqual([]);
    expect((await bob.post('/mcp/colibri', task)).body.result).not.toHaveProperty('isError', true);
    expect(await workersOf('4')).toHaveLength(1);
  });

  it.each([
    ['whose groups may only read', { groups: [] }],
    ['whose token may only read', { scope: 'read' }],
  ])('%s are told the scope that is missing', async (_, claims) => {
    const reader = await as('5', claims);
    expect(await reader.get('/api/projects')).toMatchObject({ status: 200 });
    const refused = await reader.post('/api/projects', { name: 'Mine' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', details: { scope: 'write' } } });
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", ${METADATA}/api", scope="read write"`,
    );
    const start = { task_id: crypto.randomUUID(), executor: 'SHELL' };
    const answer = await reader.post('/mcp', callTool('start_task_attempt', start));
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", ${METADATA}/mcp", scope="read write"`,
    );
    expect(await workersOf('5')).toEqual([]);
  });

  it('S18: programs with a service token are told the scope that theirs lacks by its own name', async () => {
    const admin = await as('7', { scope: 'read admin', groups: ['taskyard-admins'] });
    const { token } = await admin.answers(201, 'POST', '/api/tokens', { name: 'reader', scopes: ['read'] });
    const program = new RestClient(server.url, { authorization: `Bearer ${token as string}` });
    const place = `/api/tasks/${crypto.randomUUID()}/attempts`;
    const refused = await program.post(place, { executor: 'SHELL' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', details: { scope: 'execute' } } });
    expect(refused.headers.get('www-authenticate')).toContain('scope="read write execute"');
  });

  it('lose with the next token what their group gave them', async () => {
    expect((await (await as('6')).post('/api/projects', { name: 'Before' })).status).toBe(201);
    expect((await (await as('6', { groups: ['sales'] })).post('/api/projects', { name: 'After' })).status).toBe(403);
  });

  it('call through the gateway, which passes their token on and lets nobody in without', async () => {
    const settings = { PUBLIC_URL: 'https://gateway.example', OIDC_ISSUER: provider.issuer };
    const gateway = await TestGateway.start(server.url, settings);
    const authorization = `Bearer ${await provider.sign({ aud: PUBLIC_URL, sub: '1' })}`;
    const client = await gateway.mcp('', { authorization });
    expect((await client.call('list_projects')).projects.length).toBeGreaterThan(0);
    const rest = new RestClient(gateway.url);
    const none = await rest.post('/mcp', callTool('list_projects', {}));
    expect(none.status).toBe(401);
    const [, document = ''] = /resource_metadata="([^"]+)"/.exec(none.headers.get('www-authenticate') ?? '') ?? [];
    expect((await rest.get(new URL(document).pathname)).body).toMatchObject({
      resource: 'https://gateway.example/mcp',
      authorization_servers: [provider.issuer],
    });
    const foreign = `Bearer ${await provider.sign({ aud: 'https://other.example' })}`;
    const answer = await rest.post('/mcp', callTool('list_projects', {}), { authorization: foreign });
    expect(answer.body.result).toMatchObject({ isError: true, structuredContent: { code: 'unauthenticated' } });
    await gateway.stop();
  });
});
