import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import { type Json, McpClient } from '../../support/mcp-client.js';
import { RestClient } from '../../support/rest-client.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';

const SECRET = 'the-one-token-that-may-do-everything';
const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: SECRET, CLUSTER_SECRET });
let admin: RestClient;
beforeAll(() => {
  admin = new RestClient(server.url, { authorization: `Bearer ${SECRET}` });
});

const clientOf = ({ token }: Json, of = server) => new RestClient(of.url, { authorization: `Bearer ${String(token)}` });
const givenToken = (fields: object = {}) =>
  admin.answers(201, 'POST', '/api/tokens', { name: 'ci', scopes: ['read', 'write'], ...fields });

describe('a service token', () => {
  it('is shown once, in a form that scanners find, and kept as a digest', async () => {
    const made = await givenToken({ name: 'nightly' });
    expect(made).toEqual({
      token_id: expect.any(String),
      token: expect.stringMatching(/^ty_st_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/),
      name: 'nightly',
      scopes: ['read', 'write'],
      project_ids: null,
      user_id: null,
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
    });
    const { tokens } = await admin.does('GET', '/api/tokens');
    const { token, ...shown } = made;
    expect(tokens).toContainEqual(shown);
    const stored = await server.query<{ text: string }>('SELECT service_tokens::text AS text FROM service_tokens');
    expect(stored.some(({ text }) => text.includes(String(token)))).toBe(false);
  });

  it('opens REST and MCP, and says when it was last used', async () => {
    const made = await givenToken();
    await clientOf(made).does('GET', '/api/projects');
    const client = await McpClient.connect(`${server.url}/mcp`, { authorization: `Bearer ${String(made.token)}` });
    expect(await client.call('list_projects')).toHaveProperty('projects');
    await client.close();
    const { tokens } = await admin.does('GET', '/api/tokens');
    expect((tokens as Json[]).find(({ token_id }) => token_id === made.token_id)).toMatchObject({
      last_used_at: expect.any(String),
    });
  });

  it('shows only the projects it is confined to', async () => {
    const mine = await givenProject({ rest: admin, repositories: server.repositories });
    const other = await givenProject({ rest: admin, repositories: server.repositories }, { name: 'Other' });
    const confined = clientOf(await givenToken({ project_ids: [mine.project_id] }));
    const { projects } = await confined.does('GET', '/api/projects');
    expect((projects as Json[]).map(({ project_id }) => project_id)).toEqual([mine.project_id]);
    await confined.refuses('project_not_found', 'GET', `/api/projects/${other.project_id}`);
    await admin.refuses('project_not_found', 'POST', '/api/tokens', {
      name: 'ci',
      scopes: ['read'],
      project_ids: ['0198c0de-0000-7000-8000-000000000001'],
    });
  });

  it('acts as the user it was made for', async () => {
    const ada = clientOf(await givenToken({ user_id: 'ada', scopes: ['read', 'write', 'admin'] }));
    const { project_id } = await ada.answers(201, 'POST', '/api/projects', { name: 'Of Ada' });
    const { members } = await ada.does('GET', `/api/projects/${project_id}/members`);
    expect(members).toMatchObject([{ handle: '@ada', role: 'owner' }]);
    const other = clientOf(await givenToken({ user_id: 'bob' }));
    expect((await other.does('GET', '/api/projects')).projects).not.toContainEqual(
      expect.objectContaining({ project_id }),
    );
    const made = await ada.answers(201, 'POST', '/api/tokens', { name: 'of hers', scopes: ['read'] });
    expect(made.user_id).toBe('ada');
  });

  it('ends when it expires', async () => {
    await admin.refuses('invalid_argument', 'POST', '/api/tokens', {
      name: 'late',
      scopes: ['read'],
      expires_at: '2020-01-01T00:00:00Z',
    });
    const made = await givenToken({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    await server.query("UPDATE service_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [
      made.token_id,
    ]);
    await clientOf(made).refuses('unauthenticated', 'GET', '/api/projects');
  });

  it('is refused with a letter changed, and without a look-up', async () => {
    const { token } = await givenToken();
    const last = String(token).at(-1) === '0' ? '1' : '0';
    await clientOf({ token: String(token).slice(0, -1) + last }).refuses('unauthenticated', 'GET', '/api/projects');
  });

  it('lives on for a while beside the one that replaces it', async () => {
    const old = await givenToken({ name: 'rotating', scopes: ['read'] });
    const fresh = await admin.answers(201, 'POST', `/api/tokens/${old.token_id}/rotate`, { overlap_secs: 600 });
    expect(fresh).toMatchObject({ name: 'rotating', scopes: ['read'], token: expect.any(String) });
    for (const made of [old, fresh]) await clientOf(made).does('GET', '/api/projects');
    const again = await admin.answers(201, 'POST', `/api/tokens/${fresh.token_id}/rotate`, { overlap_secs: 0 });
    await clientOf(fresh).refuses('unauthenticated', 'GET', '/api/projects');
    await clientOf(again).does('GET', '/api/projects');
  });

  it('lends nobody more than they have', async () => {
    const lesser = clientOf(await givenToken({ scopes: ['read', 'admin'], user_id: 'carol' }));
    expect(await lesser.refuses('insufficient_scope', 'POST', '/api/tokens', { name: 'x', scopes: ['write'] })).toEqual(
      expect.objectContaining({ status: 403, details: { scope: 'write' } }),
    );
    const body = { name: 'x', scopes: ['read'], user_id: 'ada' };
    expect(await lesser.refuses('act_as_required', 'POST', '/api/tokens', body)).toMatchObject({ status: 403 });
    const stronger = await givenToken({ scopes: ['execute'] });
    await lesser.refuses('insufficient_scope', 'POST', `/api/tokens/${stronger.token_id}/rotate`);
  });

  it('leaves a row in the audit log for each thing that happens to it', async () => {
    const made = await givenToken({ name: 'watched' });
    await admin.answers(201, 'POST', `/api/tokens/${made.token_id}/rotate`);
    await admin.does('DELETE', `/api/tokens/${made.token_id}`);
    const rows = await server.query<{ action: string }>(
      "SELECT action FROM audit_log WHERE entity_type = 'token' AND entity_id = $1 ORDER BY number",
      [made.token_id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['token_created', 'token_rotated', 'token_revoked']);
    await admin.refuses('token_not_found', 'DELETE', `/api/tokens/${made.token_id}`);
  });
});

describe('a revoked token', () => {
  let replica: TestServer;
  beforeAll(async () => {
    replica = await TestServer.start({ TASKFLOW_SERVICE_TOKEN: SECRET, CLUSTER_SECRET, ROLE: 'api' }, server.database);
  });
  afterAll(() => replica.stop({ keepDatabase: true }));

  it('ends on every server, though each has it verified', async () => {
    const made = await givenToken();
    for (const each of [server, replica]) await clientOf(made, each).does('GET', '/api/projects');
    await admin.does('DELETE', `/api/tokens/${made.token_id}`);
    await clientOf(made).refuses('unauthenticated', 'GET', '/api/projects');
    const isRefused = async () => (await clientOf(made, replica).get('/api/projects')).status === 401;
    await eventually('the other server to hear of it', isRefused);
  });
});
