// Plain JavaScript, because programs that start others for the server run it as it stands.
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

export async function startWithStreams({ program, args, cwd, env, address, streams, secret }, tell, isWanted) {
  let sockets = [];
  try {
    sockets = await Promise.all(streams.map((name) => name && open(address, name)));
    if (!isWanted()) return;
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      // Beyond standard error a connection would not block, and reading what is not there yet would fail.
      stdio: [...sockets.map((socket) => socket ?? 'ignore'), secret === undefined ? 'ignore' : 'pipe'],
    });
    child.stdio[3]?.on('error', () => undefined).end(secret); // the program may end before it has read it
    child.once('error', ({ message }) => tell({ error: message }));
    child.once('exit', (code, signal) => tell({ code, signal }));
    if (child.pid !== undefined) tell({ pid: child.pid });
  } catch ({ message }) {
    tell({ error: message });
  } finally {
    for (const socket of sockets) socket?.destroy(); // the program has its own by now
  }
}
