import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { call, codeOf } from '../../support/plain-http.js';
import { TestServer } from '../../support/server.js';

describe('a server with a token', () => {
  const token = 'a-long-random-token';
  const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: token });

  it.each([
    ['HEAD', '/mcp'],
    ['DELETE', '/mcp/taskflow'],
    ['PUT', '/mcp/colibri'],
    ['HEAD', '/api/projects'],
    ['POST', '/api/projects'],
  ])('asks who calls before it looks at method and media: %s %s', async (method, path) => {
    const answer = await call(`${server.url}${path}`, { 'content-type': 'text/html' }, method);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('refuses two credentials at once, though both are right', async () => {
    const authorization = `Bearer ${token}`;
    const answer = await call(`${server.url}/api/projects`, { authorization, cookie: 'theme=dark; __Host-ty=abc' });
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthenticated']);
    expect((await call(`${server.url}/api/projects`, { authorization, cookie: 'theme=dark' })).status).toBe(200);
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const credential = `Authorization: ${authorization}\r\n`;
    socket.end(`GET /api/projects HTTP/1.1\r\nHost: ${host}\r\n${credential}${credential}Connection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 [^]*"unauthenticated"/);
  });
});

describe('a server on loopback', () => {
  const server = TestServer.share();

  it('does not take a caller with a token it does not know for its owner', async () => {
    for (const authorization of [
      'Bearer wrong',
      'Basic b3duZXI6',
      'Bearer a.b.c',
      `Bearer ty_st_12345678_${'a'.repeat(38)}`,
    ])
      expect([authorization, codeOf(await call(`${server.url}/api/projects`, { authorization }))]).toEqual([
        authorization,
        'unauthenticated',
      ]);
  });
});
