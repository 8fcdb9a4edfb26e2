import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Verdict } from './host-gate.js';
import { Upstream } from './upstream.js';
import { WayOut } from './way-out.js';

/** Servers that any name leads to, by the gate of these tests. */
const servers: (http.Server | ReturnType<typeof createServer>)[] = [];
let folder: string;
let socketPath: string;
let way: WayOut | null;
beforeEach(() => {
  folder = mkdtempSync('/tmp/way-out-');
  socketPath = path.join(folder, 'socket');
  way = null;
});
afterEach(async () => {
  await way?.close();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true });
});

async function serving<S extends (typeof servers)[number]>(server: S): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
const here: Verdict = { addresses: [{ address: '127.0.0.1', family: 4 }] };
const open = async (verdict: Verdict = here, proxy = '') => {
  way = await WayOut.open(socketPath, {
    gate: { admit: () => Promise.resolve(verdict) },
    upstream: new Upstream(proxy),
    api: null,
  });
};

async function request(target: string, options: http.RequestOptions = {}, body = '') {
  const sent = http.request({ socketPath, path: target, ...options }).end(body);
  const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

/** @returns the socket of the tunnel, or the status that refused it with its reason */
async function tunnel(target: string): Promise<Socket | string> {
  const sent = http.request({ socketPath, method: 'CONNECT', path: target }).end();
  const [{ statusCode }, socket, head] = (await once(sent, 'connect')) as [http.IncomingMessage, Socket, Buffer];
  if (statusCode === 200) return socket;
  socket.unshift(head);
  return `${statusCode} ${await text(socket)}`;
}

describe('a way out', () => {
  it('forwards requests in the clear, without what is between two neighbours', async () => {
    const port = await serving(
      http.createServer((asked, answer) => {
        void text(asked).then((body) =>
          answer
            .writeHead(201, { 'x-own': 'yes', 'proxy-x': 'no', 'set-cookie': ['a', 'b'] })
            .end(JSON.stringify({ method: asked.method, url: asked.url, headers: asked.headers, body })),
        );
      }),
    );
    await open();
    const headers = { 'proxy-authorization': 'Basic eA==', 'x-mine': '1', connection: 'x-hop', 'x-hop': '1' };
    const answer = await request(`http://a.example:${port}/x?y=1`, { method: 'POST', headers }, 'body');
    expect(answer).toMatchObject({ status: 201, headers: { 'x-own': 'yes', 'set-cookie': ['a', 'b'] } });
    expect(answer.headers).not.toHaveProperty('proxy-x');
    const seen = JSON.parse(answer.text) as { headers: object };
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/x?y=1',
      headers: { host: `a.example:${port}`, 'x-mine': '1' },
      body: 'body',
    });
    expect(Object.keys(seen.headers)).not.toEqual(expect.arrayContaining(['proxy-authorization']));
    expect(Object.keys(seen.headers)).not.toEqual(expect.arrayContaining(['x-hop']));
  });

  it('carries bytes through a tunnel both ways, and ends with either side', async () => {
    const port = await serving(createServer((socket) => void socket.pipe(socket)));
    await open();
    const socket = (await tunnel(`a.example:${port}`)) as Socket;
    socket.end('there and back');
    expect(await text(socket)).toBe('there and back');
  });

  it('says why it refuses, in words', async () => {
    await open({ status: 403, refusal: 'It is not on the list — ask for it.' });
    expect(await request('http://a.example/')).toMatchObject({
      status: 403,
      text: 'It is not on the list — ask for it.\n',
    });
    expect(await tunnel('a.example:443')).toBe('403 It is not on the list — ask for it.\n');
  });

  it('says that nobody answers', async () => {
    const port = await serving(createServer());
    await new Promise((done) => servers.pop()!.close(done));
    await open();
    expect(await request(`http://a.example:${port}/`)).toMatchObject({
      status: 502,
      text: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await tunnel(`a.example:${port}`)).toContain('502 No connection');
  });

  it('says that its parent proxy does not let it through, or is not there', async () => {
    const parent = http.createServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'));
    const port = await serving(parent);
    await open({ addresses: null }, `http://127.0.0.1:${port}`);
    expect(await tunnel('a.example:443')).toContain('the proxy in EGRESS_PROXY answered 407');
  });

  it('serves nothing of the server where it has nothing to serve', async () => {
    await open();
    expect(await request('/mcp')).toMatchObject({ status: 403 });
  });

  it('takes an answer that is none for what it is', async () => {
    const port = await serving(
      createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 099 No\r\n\r\n'));
      }),
    );
    await open();
    expect(await request(`http://a.example:${port}/`)).toMatchObject({ status: 502 });
  });

  it('takes nonsense for what it is, and goes on', async () => {
    await open();
    const asked = ['GET nonsense', 'GET http://[', 'GET //[', 'CONNECT /', 'CONNECT [', 'POST http://a.example:99999/'];
    for (const nonsense of ['\0\x01', ...asked.map((line) => `${line} HTTP/1.1\r\nhost: x\r\n\r\n`)]) {
      const socket = connect(socketPath);
      socket.end(nonsense);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect(await request('ftp://a.example/')).toMatchObject({ status: 400 });
  });

  it('ends its tunnels when it is closed, and whoever broke off leaves nothing open', async () => {
    const sockets: Socket[] = [];
    const port = await serving(createServer((socket) => void sockets.push(socket.on('error', () => undefined))));
    await open();
    const first = (await tunnel(`a.example:${port}`)) as Socket;
    first.destroy();
    await once(sockets[0]!.resume(), 'close');
    const second = (await tunnel(`a.example:${port}`)) as Socket;
    const ended = once(second.on('error', () => undefined).resume(), 'close');
    await way!.close();
    way = null;
    await ended;
  });
});
