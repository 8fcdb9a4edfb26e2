import { execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway } from '../../../src/gateway/gateway.js';
import { loadEnvironment } from '../../../src/config/environment.js';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { TestGateway } from '../../support/gateway.js';
import { AS_NOBODY } from '../../support/plain-http.js';
import { sendLegacy } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';
import { onlyWith } from '../../support/machine.js';

const TOKEN = 'a-long-random-token';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } };

/** Plain HTTP, because fetch lets nobody set Host. */
function post(url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    sent.on('error', reject).on('response', (answer) => {
      void text(answer).then((body) => resolve({ status: answer.statusCode!, body }), reject);
    });
    sent.end(JSON.stringify(call));
  });
}

describe('S5: the gateway lends its token to nobody', () => {
  const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: TOKEN });

  const here = '127.0.0.1';
  const beyond = '192.0.2.7';
  it.each([
    // caller's address, Host, headers, HTTP status, what the tool answers
    [here, 'localhost:8001', {}, 401, 'unauthenticated'],
    ['::1', '[::1]:8001', {}, 401, 'unauthenticated'],
    ['::ffff:127.0.0.1', '127.0.0.1:8001', {}, 401, 'unauthenticated'],
    [here, 'localhost', { 'x-user-id': 'ada' }, 401, 'unauthenticated'],
    [here, 'localhost', bearer('wrong'), 401, 'unauthenticated'],
    [here, 'localhost', { 'x-forwarded-for': beyond }, 401, 'unauthenticated'],
    [here, 'rebound.example:8001', {}, 401, 'unauthenticated'],
    [beyond, 'gateway.example', {}, 401, 'unauthenticated'],
    [beyond, 'localhost', {}, 401, 'unauthenticated'],
    [beyond, 'gateway.example', bearer('wrong'), 401, 'unauthenticated'],
    [here, 'localhost', bearer(TOKEN), 200, 'projects'],
    [beyond, 'gateway.example', bearer(TOKEN), 200, 'projects'],
    [here, 'localhost', { 'x-forwarded-for': beyond, ...bearer(TOKEN) }, 200, 'projects'],
  ])('from %s as %s with %j: %i %s', async (remoteAddress, host, headers, status, answer) => {
    const gateway = await createGateway(
      loadEnvironment({ TASKFLOW_API_URL: server.url, TASKFLOW_SERVICE_TOKEN: TOKEN }),
    );
    const response = await gateway.inject({
      method: 'POST',
      url: '/mcp',
      remoteAddress,
      headers: { host, 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(call),
    });
    await gateway.close();
    expect([response.statusCode, response.body.includes(`"${answer}"`)]).toEqual([status, true]);
    if (status === 401) expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.body).not.toContain(TOKEN);
  });

  it.each([
    // headers, HTTP status, what the tool answers
    [{}, 200, 'unauthenticated'],
    [bearer('wrong'), 200, 'unauthenticated'],
    [bearer(TOKEN), 200, 'projects'],
    [{ host: 'rebound.example:8001' }, 403, 'host_forbidden'],
  ])('without a token of its own it asks the API, with %j: %i %s', async (headers, status, answer) => {
    const gateway = await TestGateway.start(server.url);
    const response = await post(`${gateway.url}/mcp`, headers);
    await gateway.stop();
    expect([response.status, response.body.includes(`"${answer}"`)]).toEqual([status, true]);
  });
});

describe('S6: a gateway before a server without a token', () => {
  const server = TestServer.use({ SHELL_EXECUTOR: 'on', ISOLATION: 'none' });
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(server.url);
  });
  afterAll(() => gateway.stop());

  const script =
    'const [url, body] = process.argv.slice(1); const headers = { "content-type": "application/json" }; ' +
    'fetch(url, { method: "POST", headers, body }).then(async (answer) => console.log(await answer.text()));';
  const args = (): string[] => ['-e', script, `${gateway.url}/mcp`, JSON.stringify(call)];
  const called = async (account: string[] = []): Promise<string> =>
    (await promisify(execFile)(process.execPath, [...account, ...args()], { cwd: '/' })).stdout;

  it('serves programs of its own user', async () => {
    expect(await called()).toContain('"projects"');
  });

  onlyWith('root').it('refuses another account of the machine', async () => {
    expect(await called(AS_NOBODY)).toContain('"unauthenticated"');
  });

  it('is no way around the token of a run', async () => {
    const { project_id } = await givenProject(server);
    const line = [process.execPath, ...args()].map((word) => `'${word}'`).join(' ');
    const { final_message } = await givenEndedAttempt(await server.mcp(), project_id, line);
    expect(final_message).toContain('"unauthenticated"');
  });
});

describe('what the gateway tells the API of its caller', () => {
  let api: Server;
  let seen: IncomingHttpHeaders[] = [];
  let apiUrl: string;
  beforeAll(async () => {
    api = createServer((request, response) => {
      seen.push(request.headers);
      response.setHeader('taskyard-outcome', 'result').end('{"projects":[]}');
    });
    await new Promise<void>((resolve) => {
      api.listen(0, '127.0.0.1', resolve);
    });
    apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  });
  afterAll(
    () =>
      new Promise((resolve) => {
        api.close(resolve);
      }),
  );

  it.each([
    [{}, {}, { authorization: undefined, 'x-user-id': undefined }],
    [{}, { ...bearer('mine'), 'x-user-id': 'ada' }, { authorization: 'Bearer mine', 'x-user-id': 'ada' }],
    [
      { TASKFLOW_SERVICE_TOKEN: TOKEN },
      { ...bearer(TOKEN), 'x-user-id': 'ada' },
      { authorization: `Bearer ${TOKEN}`, 'x-user-id': 'ada' },
    ],
  ])('with settings %j and headers %j: %j', async (settings, headers, expected) => {
    seen = [];
    const gateway = await TestGateway.start(apiUrl, settings);
    await sendLegacy(
      `${gateway.url}/mcp`,
      'tools/call',
      { name: 'list_projects' },
      { ...(headers as Record<string, string>), cookie: 'secret=1', origin: gateway.url },
    );
    await gateway.stop();
    expect(seen.map(({ authorization, 'x-user-id': user }) => ({ authorization, 'x-user-id': user }))).toEqual([
      expected,
    ]);
    expect(Object.keys(seen[0]!)).not.toEqual(expect.arrayContaining(['cookie']));
    expect(seen[0]!.origin).toBeUndefined();
  });
});

describe.each(['server', 'gateway'])('browsers before the %s', (which) => {
  const started = new Map<string, TestServer | TestGateway>();
  afterAll(async () => {
    for (const one of started.values()) await one.stop();
  });
  /** One for each kind of settings. */
  async function startWith(settings: Record<string, string>): Promise<string> {
    const key = JSON.stringify(settings);
    const one =
      started.get(key) ??
      (which === 'server' ? await TestServer.start(settings) : await TestGateway.start('http://127.0.0.1:1', settings));
    started.set(key, one);
    return `${one.url}/mcp`;
  }
  const preflight = (url: string, origin: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name,x-user-id',
      },
    });

  it('lets pages of the allowed origins call, with a token too', async () => {
    const url = await startWith({ ALLOWED_ORIGINS: 'https://board.example', TASKFLOW_SERVICE_TOKEN: TOKEN });
    const asked = await preflight(url, 'https://board.example');
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, 'https://board.example']);
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
    expect(asked.headers.get('access-control-allow-headers')).toBe(
      'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name,x-user-id',
    );
    const answered = await sendLegacy(url, 'tools/list', {}, { origin: 'https://board.example', ...bearer(TOKEN) });
    expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://board.example',
    ]);
    expect(answered.headers.get('access-control-expose-headers')).toContain('www-authenticate');
    expect(answered.headers.get('vary')).toContain('Origin');
    const refused = await sendLegacy(
      url,
      'tools/list',
      {},
      { origin: 'https://board.example', 'x-forwarded-for': '192.0.2.7', ...bearer('wrong') },
    );
    expect([
      refused.status,
      refused.headers.get('access-control-allow-origin'),
      refused.headers.get('www-authenticate'),
    ]).toEqual([401, 'https://board.example', 'Bearer']);
  });

  it.each(['https://evil.example', 'null', 'http://localhost:3000'])(
    'refuses the origin %s where others are allowed',
    async (origin) => {
      const url = await startWith({ ALLOWED_ORIGINS: 'https://board.example' });
      for (const answer of [
        await preflight(url, origin),
        await fetch(url, { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: '{}' }),
      ]) {
        expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
        expect(await answer.json()).toMatchObject({ code: 'origin_forbidden' });
      }
    },
  );

  it('S5: allows only its own pages where nothing is set', async () => {
    const url = await startWith({});
    expect((await preflight(url, new URL(url).origin)).status).toBe(204);
    expect((await sendLegacy(url, 'tools/list', {}, { origin: new URL(url).origin })).status).toBe(200);
    expect((await sendLegacy(url, 'tools/list', {}, { origin: 'http://127.0.0.1:5173' })).status).toBe(403);
    expect((await sendLegacy(url, 'tools/list', {}, { origin: 'https://board.example' })).status).toBe(403);
  });

  it('counts requests', async () => {
    const url = await startWith({ RATE_LIMIT_PER_MINUTE: '2' });
    const answers = [
      await sendLegacy(url, 'tools/list'),
      await sendLegacy(url, 'tools/list'),
      await sendLegacy(url, 'tools/list'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(JSON.parse(answers[2]!.text)).toMatchObject({ code: 'rate_limited', retryable: true });
    expect((await fetch(new URL('/health/live', url))).status).toBe(200);
  });
});
