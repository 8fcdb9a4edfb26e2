import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { EventStream } from '../../support/event-stream.js';
import { givenAttempt, givenProject } from '../../support/board.js';
import { type Json, McpClient } from '../../support/mcp-client.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';

const SECRET = 'the-token-that-makes-all-the-others';
const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: SECRET });
let admin: RestClient;
let project_id: string;
beforeAll(async () => {
  admin = new RestClient(server.url, { authorization: `Bearer ${SECRET}` });
  ({ project_id } = await givenProject({ rest: admin, repositories: server.repositories }));
});

const givenToken = (fields: object = {}): Promise<Json> =>
  admin.answers(201, 'POST', '/api/tokens', { name: 'ci', scopes: ['read', 'write'], ...fields });
const headersOf = ({ token }: Json) => ({ authorization: `Bearer ${String(token)}` });
const audit = async (query: string, rest = admin): Promise<Json[]> =>
  (await rest.does('GET', `/api/audit?${query}`)).entries as Json[];

describe('GET /api/me', () => {
  it('says who calls, and what it may', async () => {
    const scoped = await givenToken({ name: 'of ada', user_id: 'ada', project_ids: [project_id] });
    expect(await new RestClient(server.url, headersOf(scoped)).does('GET', '/api/me')).toEqual({
      kind: 'token',
      user_id: 'ada',
      name: 'of ada',
      scopes: ['read', 'write'],
      roles: [],
      projects: [project_id],
    });
    expect(await admin.does('GET', '/api/me')).toMatchObject({ kind: 'token', name: 'service', projects: null });
  });
});

describe('acting for another', () => {
  it('leaves both names in the audit log', async () => {
    const bridge = new RestClient(
      server.url,
      headersOf(await givenToken({ name: 'bridge', scopes: ['write', 'act_as'] })),
    );
    await bridge.as('grace').answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'By Grace' });
    expect(await audit('actor=%40grace&action=created')).toMatchObject([{ actor: '@grace', caller: 'bridge' }, {}]);
    await bridge.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'By the bridge' });
    expect(await audit('actor=token%3Abridge&action=created')).toMatchObject([
      { caller: null },
      { caller: null, entity_type: 'worker' },
    ]);
  });

  it('is refused without the scope; oneself may be named', async () => {
    const ada = new RestClient(server.url, headersOf(await givenToken({ user_id: 'ada' })));
    expect(await ada.as('grace').refused('GET', '/api/projects')).toMatchObject({
      status: 403,
      code: 'act_as_required',
    });
    await ada.as('ada').does('GET', '/api/projects');
  });
});

describe('GET /api/audit', () => {
  it('shows what happened to tokens, with filters, and page by page', async () => {
    const { token_id } = await givenToken({ name: 'audited' });
    await admin.does('DELETE', `/api/tokens/${token_id}`);
    const of = (entries: Json[]) =>
      entries.filter(({ entity_id }) => entity_id === token_id).map(({ action }) => action);
    expect(of(await audit('limit=500'))).toEqual(['token_revoked', 'token_created']);
    expect(of(await audit('action=token_revoked'))).toEqual(['token_revoked']);
    expect(await audit('to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(of(await audit('from=2020-01-01T00:00:00Z&limit=500'))).toHaveLength(2);
    const first = await admin.does('GET', '/api/audit?limit=1');
    const [second] = await audit(`limit=1&cursor=${first.next_cursor}`);
    expect(second!.number).toBeLessThan((first.entries as Json[])[0]!.number as number);
  });

  it('exports all of it, an entry a line', async () => {
    const headers = { authorization: `Bearer ${SECRET}`, accept: 'application/x-ndjson' };
    const answer = await fetch(`${server.url}/api/audit?project_id=${project_id}`, { headers });
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Json)).toEqual(await audit(`project_id=${project_id}&limit=500`));
    const viewer = headersOf(await givenToken({ name: 'viewer', scopes: ['read'] }));
    const refused = await fetch(`${server.url}/api/audit`, { headers: { ...viewer, accept: 'application/x-ndjson' } });
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'insufficient_scope' }),
    ]);
  });

  it('shows an administrator of some projects nothing of the others', async () => {
    const confined = await givenToken({ scopes: ['admin'], project_ids: [project_id] });
    const rows = await audit('limit=500', new RestClient(server.url, headersOf(confined)));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ entity_type }) => entity_type === 'token')).toEqual([]);
  });

  it('holds the first sign-in of a credential, and the first refusal of an address', async () => {
    const made = await givenToken({ name: 'seen once' });
    for (let times = 0; times < 3; times += 1) await new RestClient(server.url, headersOf(made)).does('GET', '/api/me');
    for (let times = 0; times < 3; times += 1)
      await admin.refused('GET', '/api/me', undefined, { authorization: 'Bearer wrong' });
    const signedIn = async () =>
      (await audit('action=signed_in&limit=500')).filter(({ details }) => details.token_id === made.token_id);
    await eventually(
      'the rows',
      async () => (await signedIn()).length > 0 && (await audit('action=refused')).length > 0,
    );
    expect(await signedIn()).toHaveLength(1);
    expect((await audit('action=refused')).filter(({ actor }) => actor === '@stranger')).toHaveLength(1);
  });
});

describe('a caller that asks for more than it may', () => {
  const refusals = async (): Promise<unknown[][]> =>
    (await audit('action=refused&limit=500'))
      .filter(({ actor }) => actor === 'token:greedy')
      .map(({ details }) => [details.reason, details.operation]);

  it('is in the audit log once for each right that it lacks, whichever way it asked', async () => {
    const headers = headersOf(await givenToken({ name: 'greedy', scopes: ['read'] }));
    const greedy = new RestClient(server.url, headers);
    const client = await McpClient.connect(`${server.url}/mcp`, headers);
    for (let times = 0; times < 3; times += 1) await client.refused('create_task', { project_id, title: 'x' });
    await eventually('its row', async () => (await refusals()).length >= 1);
    for (let times = 0; times < 3; times += 1) await greedy.as('grace').refused('GET', '/api/projects');
    await greedy.refused('POST', `/api/projects/${project_id}/tasks`, { title: 'x' });
    await greedy.refused('GET', `/api/tasks/${crypto.randomUUID()}`);
    await client.close();
    await eventually('both rows', async () => (await refusals()).length >= 2);
    expect(await refusals()).toEqual([
      ['act_as_required', 'GET /api/projects'],
      ['insufficient_scope', 'create_task'],
    ]);
  });

  it('is counted where it is left out', async () => {
    const another = new RestClient(server.url, headersOf(await givenToken({ name: 'another', scopes: ['read'] })));
    await another.refused('GET', '/api/audit');
    const find = async () => (await audit('action=refused&limit=500')).find(({ actor }) => actor === 'token:another');
    await eventually('the row', async () => (await find()) !== undefined);
    expect((await find())!.details.left_out).toBeGreaterThanOrEqual(3);
  });
});

describe('what is shown to a token', () => {
  it('are the tools that its scopes allow; the others are refused by name', async () => {
    const reader = await McpClient.connect(`${server.url}/mcp`, headersOf(await givenToken({ scopes: ['read'] })));
    const names = (await reader.sdk.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('list_tasks');
    expect(names).not.toContain('create_task');
    expect(names).not.toContain('start_task_attempt');
    expect(await reader.refused('create_task', { project_id, title: 'x' })).toMatchObject({
      code: 'insufficient_scope',
      details: { scope: 'write' },
    });
    await reader.close();
  });

  it('ends with its right: no stream outlives the token, nor the membership', async () => {
    const client = await McpClient.connect(`${server.url}/mcp`, { authorization: `Bearer ${SECRET}` });
    const ground = { rest: admin, repositories: server.repositories };
    const own = await givenProject(ground);
    const member = { user_id: 'who-leaves' };
    await admin.does('POST', `/api/projects/${own.project_id}/members`, { user_id: 'who-stays' });
    const { worker_id } = await admin.answers(201, 'POST', `/api/projects/${own.project_id}/members`, member);
    const attempt = await givenAttempt(client, own.project_id, 'sleep 60');
    const leaving = headersOf(await givenToken(member));
    const revoked = await givenToken({ scopes: ['read'] });
    const paths = [
      `/api/attempts/${attempt.attempt_id}/events`,
      `/api/executions/${attempt.execution_process_id}/logs/stream?channel=raw`,
      `/api/executions/${attempt.execution_process_id}/logs/stream`,
    ];
    const streams = await Promise.all(
      [leaving, headersOf(revoked)].flatMap((headers) =>
        paths.map((path) => EventStream.open(server.url + path, undefined, headers)),
      ),
    );
    expect(streams.map(({ answer }) => answer.statusCode)).toEqual(streams.map(() => 200));
    await admin.does('DELETE', `/api/projects/${own.project_id}/members/${worker_id}`);
    await admin.does('DELETE', `/api/tokens/${revoked.token_id}`);
    for (const stream of streams) await stream.entries(); // returns once the stream has ended
    const after = await new RestClient(server.url, leaving).send('GET', paths[0]!);
    expect(after).toMatchObject({ status: 404, body: { code: 'attempt_not_found' } });
    await client.call('stop_attempt', { attempt_id: attempt.attempt_id, force: true });
    await client.close();
  });
});
