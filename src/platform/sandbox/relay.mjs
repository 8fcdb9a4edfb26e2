// Inside the walls of a process without network: passes each connection to a port of its loopback on to a socket that
// leads out. Arguments: the port, and the path of the socket. It closes its output once it listens.
import { closeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [, , port, socket] = process.argv;

// a stop is for the program beside it, which may have something to say yet
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => undefined);

createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socket, allowHalfOpen: true });
  pipeline(inside, outside, inside, () => undefined);
}).listen(Number(port), '127.0.0.1', () => closeSync(1));
