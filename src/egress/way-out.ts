import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { canonicalHost } from '../platform/network/host-rule.js';
import type { HostGate } from './host-gate.js';
import { forward, passedOn, say, sayOn } from './http-messages.js';
import type { RunApi } from './run-api.js';
import type { Target, Upstream } from './upstream.js';

const MOST_CONNECTIONS = 1_000;
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

interface WayOutOptions {
  gate: Pick<HostGate, 'admit'>;
  upstream: Upstream;
  /** This server as the run may use it; null where it may not. */
  api: RunApi | null;
}

/** What the run is told in place of a connection. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The proxy of one run behind a unix socket of its own: whoever comes by it is that run. CONNECT and requests with a
 *  whole URL go where its gate lets them; requests with a path alone are for this server. */
export class WayOut {
  private readonly server = http.createServer((request, response) => void this.take(request, response));
  /** Connections that have left the HTTP server. */
  private readonly tunnels = new Set<Duplex>();

  private constructor(private readonly options: WayOutOptions) {
    this.server.maxConnections = MOST_CONNECTIONS;
    this.server.requestTimeout = 0; // an upload takes its time
    this.server.on('connect', (request, socket: Socket, head: Buffer) => void this.connect(request, socket, head));
  }

  /** @param socket a path of at most 107 bytes, in a folder that nobody else enters */
  static async open(socket: string, options: WayOutOptions): Promise<WayOut> {
    const way = new WayOut(options);
    await once(way.server.listen(socket), 'listening');
    return way;
  }

  /** Ends every connection, too. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    for (const tunnel of this.tunnels) tunnel.destroy();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = asUrl(request.url);
      if (url === null || this.options.api?.isAt(url)) return this.serveApi(url, request, response);
      if (url.protocol !== 'http:') throw new Refused(400, 'Only http:// is forwarded: use CONNECT for the rest.');
      const target = await this.admitted(url);
      const { socket, path, headers } = await this.options.upstream.plain(target, url);
      const all = [...passedOn(request), 'host', url.host, 'connection', 'close', ...Object.entries(headers).flat()];
      forward(request, response, { path, headers: all, createConnection: () => socket });
    } catch (error) {
      const { status, message } = asRefused(error);
      say(response, status, message);
    }
    return undefined;
  }

  private async connect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    this.hold(socket);
    try {
      const url = asUrl(`http://${request.url}`);
      if (url === null) throw new Refused(400, `"${request.url}" is no host with a port.`);
      if (this.options.api?.isAt(url)) return this.answerInside(socket, head);
      const tunnel = this.hold(await this.options.upstream.tunnel(await this.admitted(url)));
      socket.write(ESTABLISHED);
      tunnel.write(head);
      pipeline(socket, tunnel, socket, () => undefined);
    } catch (error) {
      const { status, message } = asRefused(error);
      sayOn(socket, status, message);
    }
    return undefined;
  }

  private hold<T extends Duplex>(stream: T): T {
    this.tunnels.add(stream);
    return stream.on('error', () => stream.destroy()).once('close', () => this.tunnels.delete(stream));
  }

  /** For clients that send everything through tunnels. */
  private answerInside(socket: Socket, head: Buffer): void {
    socket.write(ESTABLISHED);
    socket.unshift(head);
    this.server.emit('connection', socket);
  }

  /** @throws Refused */
  private serveApi(whole: URL | null, request: IncomingMessage, response: ServerResponse): void {
    const { api } = this.options;
    if (api === null) throw new Refused(403, 'What runs here has no access to the server.');
    const url = whole ?? api.urlOf(request.url ?? '');
    if (url === null) throw new Refused(400, 'This is no address.');
    api.serve(url, request, response);
  }

  /** @throws Refused */
  private async admitted({ hostname, port }: URL): Promise<Target> {
    const target = { host: canonicalHost(hostname)!, port: Number(port || 80) };
    const verdict = await this.options.gate.admit(hostname, target.port);
    if ('refusal' in verdict) throw new Refused(verdict.status, verdict.refusal);
    return { ...target, addresses: verdict.addresses };
  }
}

const asUrl = (text = ''): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** An upstream that does not answer is not the fault of the run. */
const asRefused = (error: unknown): Refused =>
  error instanceof Refused ? error : new Refused(502, `No connection: ${(error as Error).message}.`);
