import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findSocketOwner } from './local-callers.js';
import { SocketHolders } from './socket-holders.js';

const CALLER =
  'const [port, host] = process.argv.slice(1); ' +
  "require('node:net').connect(Number(port), host); setTimeout(() => {}, 20_000);";

describe.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['127.0.0.1', '::ffff:127.0.0.1'],
])('the owner of a connection to %s, called as %s', (host, address) => {
  let server: Server;
  let caller: ChildProcess;
  let socket: Socket;

  beforeEach(async () => {
    server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const connected = once(server, 'connection') as Promise<[Socket]>;
    caller = spawn('sh', ['-c', `"$0" -e "$1" ${port} ${address}; true`, process.execPath, CALLER], {
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
    const [noRun, aRun] = [[], [caller.pid!]].map((pids) => new SocketHolders({ pids }));
    const inodes = [owner!.inode, '1', owner!.inode]; // by one walk
    expect(await Promise.all(inodes.map((inode) => noRun!.areOutside(inode)))).toEqual([true, false, true]);
    expect(await aRun!.areOutside(owner!.inode)).toBe(false);
  });

  it('is not that of another connection with the same ports', async () => {
    const { remoteAddress, remotePort, localPort } = socket;
    const other = { remoteAddress, remotePort, localPort, localAddress: host === '::1' ? '::2' : '127.0.0.2' };
    expect(await findSocketOwner(other)).toBeNull();
  });
});
