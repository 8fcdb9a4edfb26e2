import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SELF_SIGNED = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const NAMES = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];

/** What ends TLS before a server, as a company's proxy does. It takes a prefix away from addresses. */
export class TlsFront {
  private constructor(
    private readonly server: Server,
    private readonly folder: string,
    private readonly prefix: string,
    private readonly target: string,
  ) {
    server.on('request', (request, response) => this.pass(request, response));
  }

  /** @param target the server behind it */
  static async start(prefix: string, target: string): Promise<TlsFront> {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-front-'));
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    execFileSync('openssl', [...SELF_SIGNED, ...NAMES, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new TlsFront(server, folder, prefix, target);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
    rmSync(this.folder, { recursive: true });
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '/', headers } = request;
    const told = { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
    const place = url.startsWith(this.prefix) ? url.slice(this.prefix.length) : url;
    const onward = ask(new URL(place, this.target), { method, headers: told }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }
}
