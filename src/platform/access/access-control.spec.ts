import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { loadEnvironment } from '../../config/environment.js';
import { AccessControl, isLoopback } from './access-control.js';

type Headers = Record<string, string>;

let server: Server;
let caller: Socket;
let socket: Socket;
/** A connection of this process with itself. */
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  caller = connect((server.address() as { port: number }).port, '127.0.0.1');
  [socket] = await connected;
});
afterAll(() => {
  caller.destroy();
  socket.destroy();
  server.close();
});

/** The code of the refusal, or null where the request is admitted. */
async function refusal(settings: Record<string, string>, headers: Headers, url = '/api/projects') {
  const access = new AccessControl(loadEnvironment(settings));
  const request = {
    url,
    headers: { host: '127.0.0.1:8000', ...headers },
    protocol: 'http',
    raw: { rawHeaders: [] },
    socket,
  } as unknown as FastifyRequest;
  try {
    await access.admit(request);
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const TOKEN = { TASKFLOW_SERVICE_TOKEN: 'open sesame' };
const OPEN = { HOST: '0.0.0.0', ...TOKEN };
const bearer = { authorization: 'Bearer open sesame' };

describe('loopback', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', 'localhost.', '127.0.0.1', '127.8.9.1', '::1', '[::1]'])(
    'is %s',
    (name) => {
      expect(isLoopback(name)).toBe(true);
    },
  );
  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evillocalhost',
    '127.1',
    '',
    '128.0.0.1',
  ])('is not %s', (name) => {
    expect(isLoopback(name)).toBe(false);
  });
});

describe('who is admitted', () => {
  it.each<[string, Record<string, string>, Headers, string | null]>([
    ['everyone on loopback, without a token', {}, {}, null],
    ['loopback by every name', {}, { host: 'localhost' }, null],
    ['loopback in brackets', {}, { host: '[::1]:8000' }, null],
    ['no foreign Host on a loopback bind', {}, { host: 'evil.example' }, 'host_forbidden'],
    ['no Host that only begins like ours', {}, { host: 'localhost.evil.example:8000' }, 'host_forbidden'],
    ['no empty Host', {}, { host: '' }, 'host_forbidden'],
    ['any Host on an open bind', OPEN, { host: 'board.example', ...bearer }, null],
    [
      'only known Hosts where they are listed',
      { ...OPEN, ALLOWED_HOSTS: 'board.example' },
      { host: 'other.example', ...bearer },
      'host_forbidden',
    ],
    [
      'a listed Host with its port',
      { ...OPEN, ALLOWED_HOSTS: 'board.example' },
      { host: 'board.example:443', ...bearer },
      null,
    ],
    [
      'loopback beside the listed Hosts',
      { ...OPEN, ALLOWED_HOSTS: 'board.example' },
      { host: '127.0.0.1:8000', ...bearer },
      null,
    ],
    ['pages of its own', {}, { origin: 'http://127.0.0.1:8000' }, null],
    ['pages of its own by the name they use', {}, { origin: 'http://localhost:1', host: 'localhost:1' }, null],
    ['no page of another port', {}, { origin: 'http://127.0.0.1:5173' }, 'origin_forbidden'],
    ['no page of another scheme', {}, { origin: 'https://127.0.0.1:8000' }, 'origin_forbidden'],
    ['no image of a foreign page', {}, { 'sec-fetch-site': 'cross-site' }, 'origin_forbidden'],
    ['no image of a page on another port', {}, { 'sec-fetch-site': 'same-site' }, 'origin_forbidden'],
    ['what its own page loads', {}, { 'sec-fetch-site': 'same-origin' }, null],
    ['what somebody types', {}, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, null],
    [
      'a listed Origin from far away',
      { ALLOWED_ORIGINS: 'https://ui.example' },
      { origin: 'https://ui.example', 'sec-fetch-site': 'cross-site' },
      null,
    ],
    ['no foreign Origin', {}, { origin: 'https://evil.example' }, 'origin_forbidden'],
    ['no Origin of a sandboxed page', {}, { origin: 'null' }, 'origin_forbidden'],
    ['no Origin that is none', {}, { origin: 'localhost' }, 'origin_forbidden'],
    ['a listed Origin', { ALLOWED_ORIGINS: 'https://ui.example' }, { origin: 'https://ui.example' }, null],
    [
      'no loopback Origin beside listed ones',
      { ALLOWED_ORIGINS: 'https://ui.example' },
      { origin: 'http://localhost:1' },
      'origin_forbidden',
    ],
    ['nobody without the token', TOKEN, {}, 'unauthenticated'],
    ['who has the token', TOKEN, bearer, null],
    ['who writes bearer in small letters', TOKEN, { authorization: 'bearer open sesame' }, null],
    ['nobody with half of the token', TOKEN, { authorization: 'Bearer open' }, 'unauthenticated'],
    ['nobody with more than the token', TOKEN, { authorization: 'Bearer open sesame!' }, 'unauthenticated'],
    ['nobody with the token as a password', TOKEN, { authorization: 'Basic open sesame' }, 'unauthenticated'],
    [
      'nobody from a foreign Origin, token or not',
      TOKEN,
      { ...bearer, origin: 'https://evil.example' },
      'origin_forbidden',
    ],
  ])('%s', async (_, settings, headers, expected) => {
    expect(await refusal(settings, headers)).toBe(expected);
  });

  it('needs no token at the probes, and no known name; at figures and documentation where all is open', async () => {
    expect(await refusal({}, {}, '/metrics')).toBeNull();
    expect(await refusal(TOKEN, {}, '/metrics')).toBe('unauthenticated');
    expect(await refusal(TOKEN, bearer, '/metrics')).toBeNull();
    expect(await refusal(TOKEN, { host: 'pod.internal' }, '/metrics')).toBe('host_forbidden');
    for (const url of ['/health/live', '/health/ready'])
      expect(await refusal(TOKEN, { host: 'pod.internal', origin: 'https://evil.example' }, url)).toBeNull();
    for (const url of [
      '/api/docs',
      '/api/docs/',
      '/api/docs/static/app.js',
      '/api/openapi.json',
      '/api/openapi.json?x=1',
    ]) {
      expect(await refusal({}, {}, url)).toBeNull();
      expect(await refusal(TOKEN, {}, url)).toBe('unauthenticated');
      expect(await refusal(TOKEN, bearer, url)).toBeNull();
    }
    for (const url of [
      '/health',
      '/metrics/x',
      '/api/docsx',
      '/api/openapi.jsonx',
      '/mcp',
      '//health/live',
      '/api/projects?/health/live',
    ])
      expect(await refusal(TOKEN, {}, url)).toBe('unauthenticated');
    expect(await refusal(TOKEN, { host: 'evil.example' }, '/api/docs')).toBe('host_forbidden');
  });
});
