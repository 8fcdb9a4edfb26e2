import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** The proxy of a company: every name leads to one server, by default one that answers what it was asked. */
export class ParentProxy {
  /** What came here, such as `CONNECT a.example:443`, each with the login it came with. */
  readonly requests: string[] = [];
  private readonly inside = http.createServer((request, response) => {
    request.resume().on('end', () => response.end(`${request.method} ${request.headers.host}${request.url}`));
  });
  private readonly server = http.createServer((request, response) => {
    this.note(request);
    const { pathname, search } = new URL(request.url!);
    const onward = { port: this.port, method: request.method, path: pathname + search, headers: request.headers };
    const sent = http.request({ host: '127.0.0.1', ...onward }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode!, answer.headers));
    });
    request.pipe(sent.on('error', () => response.destroy()));
  });
  private readonly sockets = new Set<Socket>();

  /** @param leadsTo port of another server on loopback */
  private constructor(private readonly leadsTo?: number) {}

  static async start(leadsTo?: number): Promise<ParentProxy> {
    const proxy = new ParentProxy(leadsTo);
    for (const server of [proxy.inside, proxy.server]) {
      server.on('connection', (socket) => proxy.sockets.add(socket.on('error', () => undefined)));
      await once(server.listen(0, '127.0.0.1'), 'listening');
    }
    proxy.server.on('connect', (request, socket: Socket) => {
      proxy.note(request);
      const target = connect(proxy.port, '127.0.0.1');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
      target.on('error', () => socket.destroy());
    });
    return proxy;
  }

  private get port(): number {
    return this.leadsTo ?? (this.inside.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://user:pass%20word@127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.inside.close();
    this.server.close();
  }

  private note({ method, url, headers }: http.IncomingMessage): void {
    const login = headers['proxy-authorization']?.replace(/^Basic /, '') ?? '';
    this.requests.push(`${method} ${url} ${Buffer.from(login, 'base64').toString()}`);
  }
}
