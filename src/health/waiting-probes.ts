import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Environment } from '../config/environment.js';

const RETRY_AFTER_SECS = '5';

/** Answers the probes of a process that cannot serve yet, so that its platform waits instead of ending it. */
export class WaitingProbes {
  private reason = '';
  private server: Server | null = null;

  constructor(private readonly place: Pick<Environment, 'HOST' | 'PORT'>) {}

  /** @param reason why it is alive and not ready */
  async say(reason: string): Promise<void> {
    this.reason = reason;
    if (this.server !== null) return;
    this.server = createServer((request, response) => {
      const isAlive = /\/health\/live(?:$|\?)/.test(request.url ?? '');
      response.writeHead(isAlive ? 200 : 503, {
        'content-type': 'application/json; charset=utf-8',
        connection: 'close',
        ...(isAlive ? {} : { 'retry-after': RETRY_AFTER_SECS }),
      });
      response.end(JSON.stringify({ status: isAlive ? 'ok' : this.reason }));
    });
    await once(this.server.listen(this.place.PORT, this.place.HOST), 'listening');
  }

  /** Frees the port. */
  async close(): Promise<void> {
    if (this.server === null) return;
    const closed = once(this.server.close(), 'close');
    this.server.closeAllConnections();
    await closed;
  }
}
