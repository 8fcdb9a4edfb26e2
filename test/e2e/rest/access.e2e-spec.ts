import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { McpClient } from '../../support/mcp-client.js';
import { ApiContract } from '../../support/api-contract.js';
import { givenProject } from '../../support/board.js';
import { type Answer, call, codeOf } from '../../support/plain-http.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';

describe('a server with a token', () => {
  const token = 'a-long-random-token';
  const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: token });

  it.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer wrong' }],
    ['the token as another scheme', { authorization: `Basic ${token}` }],
    ['more than the token', { authorization: `Bearer ${token} x` }],
  ])('refuses REST and MCP with %s, before it reads a body', async (_, headers) => {
    for (const [method, path] of [
      ['GET', '/api/projects'],
      ['POST', '/api/projects'],
      ['GET', '/api/attempts/x/events'],
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['GET', '/api/nothing'],
    ]) {
      const answer = await call(
        `${server.url}${path}`,
        { ...headers, 'content-type': 'application/json' },
        method,
        method === 'POST' ? '{' : undefined,
      );
      expect([path, answer.status, codeOf(answer), answer.headers['www-authenticate']]).toEqual([
        path,
        401,
        'unauthenticated',
        'Bearer',
      ]);
    }
  });

  it('asks for it on every surface, and knows who has it', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      expect(await server.rest.post('/mcp', list, headers)).toMatchObject({ status: 401 });
      expect(await server.rest.get('/api/projects', headers)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      });
    }
    const bearer = { authorization: `Bearer ${token}` };
    expect(await server.rest.get('/api/projects', bearer)).toMatchObject({ status: 200, body: { projects: [] } });
    const known = await McpClient.connect(`${server.url}/mcp`, bearer);
    expect(await known.call('list_projects')).toMatchObject({ projects: [] });
    await known.close();
  });

  it('serves REST and MCP to who has it', async () => {
    const rest = new RestClient(
      server.url,
      { authorization: `Bearer ${token}` },
      await ApiContract.of(server.url, { authorization: `Bearer ${token}` }),
    );
    const { project_id } = await givenProject({ rest, repositories: server.repositories });
    const client = await McpClient.connect(`${server.url}/mcp`, { authorization: `bearer ${token}` });
    expect((await client.call('list_projects')).projects[0].project_id).toBe(project_id);
    await client.close();
  });

  it.each(['/health/live', '/health/ready'])('leaves %s open', async (path) => {
    expect((await call(`${server.url}${path}`)).status).toBe(200);
  });

  it.each(['/metrics', '/api/docs', '/api/docs/swagger-ui.css', '/api/openapi.json'])(
    'S18: shows %s to who has it, and to nobody else',
    async (path) => {
      expect((await call(`${server.url}${path}`)).status).toBe(401);
      expect((await call(`${server.url}${path}`, { authorization: `Bearer ${token}` })).status).toBe(200);
    },
  );

  it.each([
    '/metrics/../api/projects',
    '/api/docs/../projects',
    '/api/projects/api/docs',
    '/API/projects',
    '//api/projects',
    '/api/openapi.json/../projects',
    '/health/live/../../api/projects',
  ])('does not open another path by it: %s', async (path) => {
    const { hostname, port } = new URL(server.url);
    const answer = await new Promise<Answer>((resolve, reject) => {
      request({ hostname, port, path }, (got) => {
        got.resume().on('end', () => resolve({ status: got.statusCode!, headers: got.headers, body: '' }));
      })
        .on('error', reject)
        .end();
    });
    expect([401, 404]).toContain(answer.status);
  });
});

describe('a server on loopback', () => {
  const server = TestServer.share();

  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost:3000',
    'http://127.0.0.1',
    'https://[::1]:8443',
    'http://app.localhost',
    'file://',
  ])('refuses the origin %s', async (origin) => {
    for (const [method, path] of [
      ['GET', '/api/projects'],
      ['POST', '/mcp'],
      ['GET', '/api/docs'],
    ]) {
      const answer = await call(
        `${server.url}${path}`,
        { origin, 'content-type': 'application/json' },
        method,
        method === 'POST' ? '{}' : undefined,
      );
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, 'origin_forbidden']);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it.each(['evil.example', 'evil.example:8000', 'localhost.evil.example', '127.0.0.1.nip.io'])(
    'refuses the host "%s"',
    async (host) => {
      const answer = await call(`${server.url}/api/projects`, { host });
      expect([answer.status, codeOf(answer)]).toEqual([403, 'host_forbidden']);
      expect((await call(`${server.url}/health/live`, { host })).status).toBe(200);
    },
  );

  it.each(['cross-site', 'same-site'])('S21: refuses what a %s page loads without saying its origin', async (site) => {
    for (const path of ['/api/projects', '/api/docs', '/metrics']) {
      const answer = await call(`${server.url}${path}`, { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' });
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, 'origin_forbidden']);
    }
  });

  it('S21: opens its documentation to who types its address', async () => {
    const headers = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await call(`${server.url}/api/docs`, headers)).status).toBe(200);
  });

  it('S21: refuses a second Host header, and a foreign one at the metrics', async () => {
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.end(`GET /api/projects HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 [^]*"host_forbidden"/);
    expect(codeOf(await call(`${server.url}/metrics`, { host: 'evil.example' }))).toBe('host_forbidden');
  });

  it.each([(url: string) => url, (url: string) => url.replace('127.0.0.1', 'localhost')])(
    'lets a page of its own call, also after a preflight: %#',
    async (named) => {
      const origin = named(server.url);
      const answer = await call(`${origin}/api/projects`, { origin });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
      const preflight = await call(
        `${origin}/api/projects`,
        {
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'authorization,content-type,idempotency-key',
        },
        'OPTIONS',
      );
      expect(preflight.status).toBe(204);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': expect.stringContaining('PUT'),
        'access-control-allow-headers': expect.stringContaining('idempotency-key'),
      });
    },
  );

  it('answers probes and metrics', async () => {
    expect(JSON.parse((await call(`${server.url}/health/live`)).body)).toEqual({ status: 'ok' });
    expect(JSON.parse((await call(`${server.url}/health/ready`)).body)).toEqual({ status: 'ok' });
    const metrics = await call(`${server.url}/metrics`);
    expect(metrics.headers['content-type']).toContain('text/plain');
    expect(metrics.body).toMatch(/^process_cpu_user_seconds_total \d/m);
  });

  it('sets headers that keep browsers from guessing and framing', async () => {
    const { headers } = await call(`${server.url}/api/projects`);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
    expect(headers['x-powered-by']).toBeUndefined();
  });
});

describe('other settings of access', () => {
  it('allow the origins and hosts that are named, and no others', async () => {
    const server = await TestServer.start({
      ALLOWED_ORIGINS: 'https://board.example, https://other.example',
      ALLOWED_HOSTS: 'board.example',
    });
    try {
      expect(
        (await call(`${server.url}/api/projects`, { origin: 'https://board.example', host: 'board.example' })).headers[
          'access-control-allow-origin'
        ],
      ).toBe('https://board.example');
      expect(codeOf(await call(`${server.url}/api/projects`, { origin: 'http://localhost:3000' }))).toBe(
        'origin_forbidden',
      );
      expect(codeOf(await call(`${server.url}/api/projects`, { host: 'evil.example' }))).toBe('host_forbidden');
    } finally {
      await server.stop();
    }
  });
});
