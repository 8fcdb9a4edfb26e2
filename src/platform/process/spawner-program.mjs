// Run by Spawner as a separate process: starts programs for the server, whose size makes a fork slow. Their streams are
// connections to the server; their start and end are told over the channel to it, which closes with the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection that says which stream it is. */
async function open(address, name) {
  const socket = connect(address);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(name, resolve));
  return socket;
}

async function start({ id, program, args, env, address, streams, secret }) {
  const tell = (message) => process.connected && process.send({ id, ...message });
  let sockets = [];
  try {
    sockets = await Promise.all(streams.map((name) => name && open(address, name)));
    const child = spawn(program, args, {
      cwd: '/',
      env,
      detached: true,
      // Beyond standard error a connection would not block, and reading what is not there yet would fail.
      stdio: [...sockets.map((socket) => socket ?? 'ignore'), secret === undefined ? 'ignore' : 'pipe'],
    });
    child.stdio[3]?.on('error', () => undefined).end(secret); // the program may end before it has read it
    child.once('error', ({ message }) => tell({ error: message }));
    child.once('exit', (code) => tell({ code }));
    if (child.pid !== undefined) tell({ pid: child.pid });
  } catch ({ message }) {
    tell({ error: message });
  } finally {
    for (const socket of sockets) socket?.destroy(); // the program has its own by now
  }
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
process.on('message', (message) => void start(message));
process.once('disconnect', () => process.exit());
