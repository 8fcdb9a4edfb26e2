import type { IncomingMessage, ServerResponse } from 'node:http';
import { RUN_PATH } from '../platform/access/bearer-tokens.js';
import { AppError } from '../platform/errors/app-error.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import { restNames } from '../platform/errors/operations.js';
import { RELAY_ORIGIN } from '../platform/sandbox/relay.js';
import { forward } from './http-messages.js';

/** What MCP needs. Whatever else a run says about itself does not arrive. */
const PASSED = /^(accept|content-type|content-length|transfer-encoding|last-event-id|user-agent|traceparent|mcp-.+)$/;

const ONLY_MCP = `by its way out a run reaches ${RUN_PATH} of this server and nothing else`;
const OTHER_TOKEN = 'what comes by the way out of a run is that run: send the headers of its MCP endpoint, or none';

/** The MCP endpoint of a run behind its way out, which makes every caller that run. */
export class RunApi {
  private readonly target: URL;
  private readonly authorization: string;

  /** @param endpoint its address on this server, and the token of the run as its header */
  constructor({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) {
    this.target = new URL(url);
    this.authorization = headers.authorization!;
  }

  /** A request with a path alone. @returns null where it is none */
  urlOf(path: string): URL | null {
    return URL.canParse(path, this.target.origin) ? new URL(path, this.target.origin) : null;
  }

  /** Whether a URL means this server, as a run or a client that uses a proxy for everything writes it. */
  isAt({ host }: URL): boolean {
    return host === this.target.host || host === new URL(RELAY_ORIGIN).host;
  }

  /** @param url what it asks for */
  serve(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = url;
    const given = request.headers.authorization;
    if (pathname !== RUN_PATH && pathname !== this.target.pathname)
      return refuse(response, new AppError('forbidden', { reason: ONLY_MCP }));
    if (given !== undefined && given !== this.authorization)
      return refuse(response, new AppError('unauthenticated', {}, OTHER_TOKEN));
    const kept = Object.entries(request.headers).filter(([name]) => PASSED.test(name));
    const { protocol, hostname, port } = this.target;
    return forward(request, response, {
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent: false, // one that is kept open may just be closing
      path: this.target.pathname + (search || this.target.search),
      headers: { ...Object.fromEntries(kept), host: this.target.host, authorization: this.authorization },
    });
  }
}

function refuse(response: ServerResponse, error: AppError): void {
  response.writeHead(error.row.status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
  response.end(JSON.stringify(toEnvelope(error, restNames)));
}
