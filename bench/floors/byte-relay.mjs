// Passes bytes on as fast as Node can: `relay <port>` is two sockets piped into each other, `way-out <path>` the proxy
// of a run at its socket. `idle <count>` holds so many ways out, each with an open tunnel.
import { once } from 'node:events';
import http from 'node:http';
import { connect, createServer } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { Upstream } from '../../dist/src/egress/upstream.js';
import { WayOut } from '../../dist/src/egress/way-out.js';

const [, , kind, target, count = '200'] = process.argv;
const here = { addresses: [{ address: '127.0.0.1', family: 4 }] };
const openWay = (socket) =>
  WayOut.open(socket, { gate: { admit: () => Promise.resolve(here) }, upstream: new Upstream(''), api: null });

if (kind === 'relay') {
  const server = createServer((socket) => {
    const onward = connect(Number(target), '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const one of [socket, onward]) one.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.send({ at: server.address().port });
}
if (kind === 'way-out') {
  const at = `${mkdtempSync('/tmp/bench-way-')}/socket`;
  await openWay(at);
  process.send({ at });
}
if (kind === 'idle') {
  const folder = mkdtempSync('/tmp/bench-ways-');
  globalThis.gc();
  const before = process.memoryUsage().rss;
  for (let at = 0; at < Number(count); at += 1) {
    const socketPath = `${folder}/${at}`;
    await openWay(socketPath);
    const asked = http.request({ socketPath, method: 'CONNECT', path: `a.example:${target}` }).end();
    await once(asked, 'connect');
  }
  globalThis.gc();
  process.send({ bytes: process.memoryUsage().rss - before });
}
process.on('message', () => process.send({ rss: process.memoryUsage().rss }));
