import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedDocument } from '../support/accepted-file.js';
import { routeAttacks } from '../support/attack-calls.js';
import { AttackGround } from '../support/attack-ground.js';
import { nowhere } from '../support/board-fixture.js';
import type { Json } from '../support/mcp-client.js';
import { AS_NOBODY, call, codeOf, sendBytes, statusOf } from '../support/plain-http.js';
import { Program } from '../support/program.js';
import { onlyWith } from '../support/machine.js';

const TOKEN = 'the-token-of-the-server-of-this-test';
const JSON_BODY = { 'content-type': 'application/json' };
/** Names of records that are not there: who may not enter hears the same of those that are. */
const nothing = new Proxy({}, { get: () => nowhere });

const routes = routeAttacks(acceptedDocument()).map((route) => [route.name, route] as const);

describe('held', () => {
  const ground = AttackGround.use({ TASKFLOW_SERVICE_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1' });
  let address = 0;
  /** From an address of its own, or the guesses of one attack would shut the door to the next. */
  const from = () => ({ 'x-forwarded-for': `192.0.2.${(address += 1) % 250}` });

  describe('held: every REST route without the token', () => {
    it.each(routes)('%s', async (_, { method, path, body }) => {
      const { status, body: answer } = await call(
        `${ground.url}${path(nothing)}`,
        { ...JSON_BODY, ...from() },
        method,
        JSON.stringify(body(nothing)),
      );
      expect([status, (JSON.parse(answer) as Json).code]).toEqual([401, 'unauthenticated']);
    });
  });

  describe('held: paths that begin as an open one or end elsewhere', () => {
    it.each([
      '/metrics/../api/projects',
      '/metrics/..%2fapi/projects',
      '/metrics/%2e%2e/api/projects',
      '/metrics%2f..%2fapi%2fprojects',
      '/metrics;/../api/projects',
      '/metrics?/../api/projects',
      '/health/live/../../api/projects',
      '/health/live/..\\..\\api\\projects',
      '/health/live%00/api/projects',
      '/health/live#/api/projects',
      '/api/docs/../projects',
      '/api/docs/..%2fprojects',
      '/api/docs/%2e%2e/projects',
      '/api/docs/static/../../projects',
      '/api/openapi.json/../projects',
      '/api/projects/api/docs',
      '/api/projects?/health/live',
      '/API/projects',
      '//api/projects',
      '/api//projects',
      '/./api/projects',
    ])('%s', async (path) => {
      const answer = await sendBytes(
        ground.url,
        `GET ${path} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        `X-Forwarded-For: ${from()['x-forwarded-for']}`,
        '',
        '',
      );
      expect(answer).not.toContain('"projects":');
      if (statusOf(answer) === 200)
        expect(path).toMatch(/^\/(metrics|health\/live)/); // the open one itself
      else expect([400, 401, 404]).toContain(statusOf(answer));
    });
  });

  describe('held: methods that the routes do not expect', () => {
    it.each(['HEAD', 'TRACE', 'CONNECT', 'PROPFIND', 'LOCK', 'OPTIONS', 'QUERY'])('%s', async (method) => {
      const head = [`${method} /api/projects HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close'];
      const answer = await sendBytes(ground.url, ...head, `X-Forwarded-For: ${from()['x-forwarded-for']}`, '', '');
      expect(answer).not.toContain('"projects":');
      expect(answer === '' || statusOf(answer) >= 400).toBe(true);
    });
  });

  describe('held: tokens that are nearly right', () => {
    it.each([
      ['none', undefined],
      ['an empty one', 'Bearer '],
      ['half of it', `Bearer ${TOKEN.slice(0, -1)}`],
      ['more than it', `Bearer ${TOKEN}x`],
      ['two of it', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
      ['another case', `Bearer ${TOKEN.toUpperCase()}`],
      ['a password', `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}`],
      ['no scheme', TOKEN],
    ])('%s', async (_, authorization) => {
      const headers = { ...from(), ...(authorization === undefined ? {} : { authorization }) };
      for (const path of ['/api/projects', '/mcp'])
        expect((await call(`${ground.url}${path}`, { ...headers, ...JSON_BODY })).status).toBe(401);
    });

    it.each([`?token=${TOKEN}`, `?access_token=${TOKEN}`, `?authorization=Bearer%20${TOKEN}`])(
      'in the address: %s',
      async (query) => expect((await call(`${ground.url}/api/projects${query}`, from())).status).toBe(401),
    );
  });

  it('S8: a run that serves a page is sent the cookie, forges the Origin and makes itself a token', async () => {
    const signIn = { ...JSON_BODY, origin: ground.url };
    const answer = await call(`${ground.url}/ui/session`, signIn, 'POST', JSON.stringify({ token: TOKEN }));
    const [cookie = ''] = (answer.headers['set-cookie'] as string[])[0]!.split(';');
    const body = '{"name":"mine","scopes":["admin"]}';
    const guesses: Record<string, string>[] = [
      {},
      { 'taskyard-page': '' },
      { 'taskyard-page': cookie.slice('ty='.length) },
    ];
    for (const guess of guesses) {
      const headers = { ...signIn, ...from(), cookie, ...guess };
      expect((await call(`${ground.url}/api/tokens`, headers, 'POST', body)).status).toBe(401);
      expect((await call(`${ground.url}/api/events`, { ...from(), cookie, ...guess })).status).toBe(401);
    }
  });

  it('the token is in no answer and in no line of the log', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...from() };
    const answers = [];
    for (const path of ['/api/projects', '/api/nothing', '/api/tasks/%00', '/mcp'])
      answers.push(await call(`${ground.url}${path}`, headers));
    expect(JSON.stringify(answers)).not.toContain(TOKEN);
    expect(ground.server.output).not.toContain(TOKEN);
  });
});

/** Prints what an address answers. */
const CALLER =
  "fetch(process.argv[1], { method: process.argv[2], headers: { 'content-type': 'application/json' }, " +
  'body: process.argv[3] }).then(async (answer) => console.log(await answer.text()))';
const listProjects = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } });

async function callAs(account: string[], ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...account, '-e', CALLER, ...args], { cwd: '/' });
  return stdout;
}

describe('without a token', () => {
  const ground = AttackGround.use();

  describe('S6: pages of other origins', () => {
    it.each([
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'http://localhost:5173',
      'http://127.0.0.1',
      'https://[::1]:8443',
      'http://app.localhost',
      'file://',
      'http://127.0.0.1:1@evil.example',
    ])('%s', async (origin) => {
      for (const [method, path] of [
        ['GET', '/api/projects'],
        ['POST', '/mcp'],
        ['GET', '/api/docs'],
      ] as const) {
        const answer = await call(
          `${ground.url}${path}`,
          { origin, ...JSON_BODY },
          method,
          method === 'POST' ? '{}' : undefined,
        );
        expect([answer.status, codeOf(answer)]).toEqual([403, 'origin_forbidden']);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    });
  });

  onlyWith('root').describe('S6: other accounts of the machine', () => {
    it.each([
      ['GET', '/api/projects'],
      ['POST', '/mcp'],
    ])('%s %s', async (method, path) => {
      const answer = await callAs(
        AS_NOBODY,
        `${ground.url}${path}`,
        method,
        ...(method === 'POST' ? [listProjects] : []),
      );
      expect(answer).toContain('"unauthenticated"');
    });
  });

  describe('held: names that lead here', () => {
    it.each(['evil.example', 'evil.example:8000', 'localhost.evil.example', '127.0.0.1.nip.io', '[::ffff:192.0.2.1]'])(
      '%s',
      async (host) => {
        for (const path of ['/api/projects', '/mcp', '/metrics', '/api/docs'])
          expect(codeOf(await call(`${ground.url}${path}`, { host, ...JSON_BODY }))).toBe('host_forbidden');
      },
    );
  });

  describe('S21: what a browser says beside the origin', () => {
    it.each(['cross-site', 'same-site'])('%s', async (site) => {
      for (const path of ['/api/projects', '/api/docs', '/metrics'])
        expect(codeOf(await call(`${ground.url}${path}`, { 'sec-fetch-site': site }))).toBe('origin_forbidden');
    });

    it('two Host headers', async () => {
      const { host } = new URL(ground.url);
      const head = ['GET /api/projects HTTP/1.1', `Host: ${host}`, 'Host: evil.example', 'Connection: close'];
      expect(await sendBytes(ground.url, ...head, '', '')).toMatch(/^HTTP\/1\.1 403 [^]*"host_forbidden"/);
    });
  });

  describe('S5: the gateway lends its token', () => {
    let gateway: Program;
    let url = '';
    beforeAll(async () => {
      const settings = {
        TASKFLOW_API_URL: ground.url,
        MCP_HOST: '127.0.0.1',
        MCP_PORT: '0',
        TASKFLOW_SERVICE_TOKEN: TOKEN,
      };
      gateway = Program.start('gateway', [], settings);
      [url] = await gateway.says(/http:\/\/127\S+?(?=\/mcp)/);
    });
    afterAll(() => gateway.end());

    onlyWith('root').it('to another account', async () => {
      expect(await callAs(AS_NOBODY, `${url}/mcp`, 'POST', listProjects)).toContain('"unauthenticated"');
    });

    it.each<[string, Record<string, string>]>([
      ['to a program without it', {}],
      ['to a wrong one', { authorization: 'Bearer wrong' }],
      ['through a proxy that names nobody', { via: '1.1 proxy' }],
      ['to a page of another port', { origin: 'http://localhost:5173' }],
    ])('%s', async (_, headers) => {
      const { status, body } = await call(`${url}/mcp`, { ...JSON_BODY, ...headers }, 'POST', listProjects);
      expect([401, 403]).toContain(status);
      expect(body).not.toContain('"projects"');
    });
  });
});
