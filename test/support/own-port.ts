import { once } from 'node:events';
import { createServer } from 'node:net';

const PORTS_OF_A_WORKER = 1_000;
let port = 20_000 + PORTS_OF_A_WORKER * Number(process.env.JEST_WORKER_ID ?? 0);

/** A port for a server that listens only later: below those that the system gives to whoever asks for any, so that
 *  nobody takes it meanwhile. */
export async function ownPort(): Promise<number> {
  for (;;) {
    port += 1;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
