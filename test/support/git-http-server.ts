import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** git's own HTTP server program behind a port of loopback, for all repositories of a folder. */
export class GitHttpServer {
  readonly requests: string[] = [];
  /** How it misbehaves from now on: it never answers, ends the connection, or answers with this status. */
  fault: 'hang' | 'cut' | number | null = null;

  private constructor(
    private readonly server: Server,
    readonly host: string,
  ) {}

  /** @param options `password` asks for one; `redirect` sends every caller to another address */
  static async start(folder: string, options: { password?: string; redirect?: string } = {}): Promise<GitHttpServer> {
    const server = createServer((request, response) => {
      started.requests.push(request.url ?? '');
      if (started.fault === 'hang') return;
      if (started.fault === 'cut') request.socket.destroy();
      else if (started.fault !== null) response.writeHead(started.fault).end();
      else if (options.redirect !== undefined)
        response.writeHead(302, { location: `${options.redirect}${request.url}` }).end();
      else if (options.password !== undefined && !mayEnter(request, options.password))
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      else answerGit(folder, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const started = new GitHttpServer(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    return started;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function mayEnter({ headers }: IncomingMessage, password: string): boolean {
  const given = Buffer.from(headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
  return given === `user:${password}`;
}

/** One request to git's own server program. */
export function answerGit(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://host');
  const backend = spawn(
    path.join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend'),
    {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'user', // may push
        REQUEST_METHOD: request.method,
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        CONTENT_LENGTH: request.headers['content-length'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        CONTENT_TYPE: request.headers['content-type'],
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') response.statusCode = Number.parseInt(value);
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}
