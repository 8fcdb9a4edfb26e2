import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const SAID = 'You are signed in. This window can be closed.';

/** Where a browser comes back to after a sign-in: on this machine, once. */
export class Loopback {
  private constructor(
    private readonly server: Server,
    readonly address: string,
    private readonly visit: Promise<URL>,
  ) {}

  static async open(): Promise<Loopback> {
    let arrive: (url: URL) => void;
    const visit = new Promise<URL>((resolve) => (arrive = resolve));
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', address);
      const isBack = url.pathname === '/callback';
      response.writeHead(isBack ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
      response.end(isBack ? SAID : '');
      if (isBack) arrive(url);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    return new Loopback(server, address, visit);
  }

  /** Where the browser was sent, with the answer of the provider. */
  visited(): Promise<URL> {
    return this.visit;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
