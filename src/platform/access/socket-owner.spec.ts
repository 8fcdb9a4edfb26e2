import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findSocketOwner, isHeldBy } from './socket-owner.js';

const CALLER = `const [port, host] = process.argv.slice(1); require('node:net').connect(Number(port), host); setTimeout(() => {}, 20_000);`;

describe.each(['127.0.0.1', '::1'])('the owner of a connection from %s', (host) => {
  let server: Server;
  let caller: ChildProcess;
  let socket: Socket;

  beforeEach(async () => {
    server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const connected = once(server, 'connection') as Promise<[Socket]>;
    caller = spawn('sh', ['-c', `"$0" -e "$1" ${port} ${host}; true`, process.execPath, CALLER], {
      detached: true,
      stdio: 'ignore',
    });
    [socket] = await connected;
  });
  afterEach(() => {
    process.kill(-caller.pid!, 'SIGKILL');
    socket.destroy();
    server.close();
  });

  it('is its user, and the process that holds the socket, also as a child of another', async () => {
    const owner = await findSocketOwner(socket);
    expect(owner?.uid).toBe(process.getuid?.());
    expect(await isHeldBy(owner!.inode, [caller.pid!])).toBe(true);
    expect(await isHeldBy('1', [caller.pid!])).toBe(false);
    expect(await isHeldBy(owner!.inode, [])).toBe(false);
  });
});
