import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { internalHost } from '../../cluster/runner-entry.js';
import type { RunnerLease } from '../../cluster/runner-lease.js';
import type { Environment } from '../../config/environment.js';
import { isLoopback } from '../../platform/access/access-control.js';
import { AppError } from '../../platform/errors/app-error.js';
import { toAppError } from '../../platform/errors/to-app-error.js';
import type { WorkspaceHost } from '../workspace-host.js';
import { type AnswerHead, writeAnswer } from './port-answer.js';
import { PortClient } from './port-client.js';
import { invokeOn, isPortMethod, type PortMethod, portMethods } from './port-methods.js';
import { digestOf, isSame, PORT_VERSION, PortKey, SeenNonces, WINDOW_MS } from './port-signature.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Maximum requests in progress, because git would exhaust the machine. */
const MAX_AT_ONCE = 64;
/** Maximum connections of one address that have proved nothing yet. */
const MAX_UNPROVED = 32;
const RECEIVE_MS = 15_000;

const ANSWERED = 'the request was answered before';

/** Refused before any work began. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    reason: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(reason);
  }
}

/** Serves the worktrees of this runner to processes that know CLUSTER_SECRET. */
export class PortServer {
  private readonly logger = new Logger(PortServer.name);
  private readonly key: PortKey;
  private readonly nonces = new SeenNonces();
  private readonly server: Server;
  private readonly unproved = new Map<string, Set<Socket>>();
  private atOnce = 0;

  constructor(
    private readonly host: WorkspaceHost,
    private readonly runner_id: string,
    secret: string,
  ) {
    this.key = new PortKey(secret);
    this.server = createServer({ requestTimeout: RECEIVE_MS, headersTimeout: RECEIVE_MS }, (request, response) => {
      void this.take(request, response);
    }).on('connection', (socket: Socket) => this.meet(socket));
  }

  /** @returns the port it listens on */
  async listen(port: number, address?: string): Promise<number> {
    this.server.listen(port, address);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** What is under way is finished. */
  async close(): Promise<void> {
    this.server.close();
    this.server.closeIdleConnections();
    await once(this.server, 'close');
  }

  /** Beyond the limit the oldest connection of that address gives way, so that stalled ones keep nobody out. */
  private meet(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const beside = this.unproved.get(address) ?? new Set();
    this.unproved.set(address, beside.add(socket));
    socket.once('close', () => this.forget(address, socket));
    const [oldest] = beside;
    if (beside.size > MAX_UNPROVED) oldest?.destroy();
  }

  private forget(address: string, socket: Socket): void {
    const beside = this.unproved.get(address);
    beside?.delete(socket);
    if (beside?.size === 0) this.unproved.delete(address);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.answer(request, response);
    } catch (error) {
      if (!(error instanceof Refusal)) this.logger.debug({ err: error }, 'a request for worktrees broke off');
      refuse(request, response, error instanceof Refusal ? error : new Refusal(400, 'the request broke off'));
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = methodOf(request);
    const signature = this.verify(request, method);
    this.forget(request.socket.remoteAddress ?? '', request.socket);
    if (this.atOnce >= MAX_AT_ONCE) throw new Refusal(503, 'too many requests at once');
    this.atOnce += 1;
    try {
      await this.serve(request, response, method, signature);
    } finally {
      this.atOnce -= 1;
    }
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    method: PortMethod,
    signature: string,
  ): Promise<void> {
    const body = await bodyOf(request);
    if (digestOf(body) !== request.headers['taskyard-body']) throw new Refusal(401, 'the body is not the signed one');
    if (!this.nonces.add(String(request.headers['taskyard-nonce']), Date.now())) throw new Refusal(401, ANSWERED);
    const args = JSON.parse(body.toString('utf8')) as unknown[];
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.flushHeaders();
    const outcome = this.work(method, args, String(request.headers['taskyard-nonce']));
    const answer = writeAnswer(outcome, portMethods[method].text, this.key.answerTo(signature));
    await pipeline(Readable.from(answer, { objectMode: true, highWaterMark: 1 }), response);
  }

  /** Checks signature, addressee, time and that the request is new, before its body is read. @returns its signature */
  private verify({ headers }: IncomingMessage, method: PortMethod): string {
    const header = (name: string) => String(headers[`taskyard-${name}`] ?? '');
    const [runner_id, time, nonce] = [header('runner'), Number(header('time')), header('nonce')];
    const [digest, signature] = [header('body'), header('signature')];
    if (!isSame(signature, this.key.sign({ method, runner_id, time, nonce, digest })))
      throw new Refusal(401, 'the signature is wrong: is CLUSTER_SECRET the same everywhere?');
    if (runner_id !== this.runner_id) throw new Refusal(421, 'another runner has this address now');
    const now = Date.now();
    if (!(Math.abs(now - time) <= WINDOW_MS))
      throw new Refusal(401, 'the clocks are too far apart', {
        'taskyard-time': String(now),
        'taskyard-time-signature': this.key.signTime(nonce, now),
      });
    if (this.nonces.has(nonce)) throw new Refusal(401, ANSWERED);
    return signature;
  }

  private async work(
    method: PortMethod,
    args: readonly unknown[],
    request_id: string,
  ): Promise<Pick<AnswerHead, 'result' | 'error'>> {
    try {
      return { result: await invokeOn(this.host, method, args) };
    } catch (error) {
      const refused = toAppError(error);
      if (refused === null)
        this.logger.error({ err: error, method, request_id }, 'a request for worktrees failed unexpectedly');
      const { code, details, hintTemplate: hint } = refused ?? new AppError('internal_error', { request_id });
      return { error: { code, details, hint } };
    }
  }
}

function methodOf({ method: verb, url = '' }: IncomingMessage): PortMethod {
  const [, version, method = ''] = /^\/workspaces\/(\w+)\/(\w+)$/.exec(url) ?? [];
  if (verb !== 'POST' || version === undefined) throw new Refusal(404, 'this is the port between processes');
  if (version !== PORT_VERSION) throw new Refusal(426, `it speaks version ${PORT_VERSION} of the port, not ${version}`);
  if (!isPortMethod(method)) throw new Refusal(404, `it does not know ${method} yet`);
  return method;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, 'the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The rest of the request is not read, so the connection is closed. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, message, headers }: Refusal): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', ...headers });
  response.end(message, () => request.destroy());
}

/** Both ends of the port in this process: its client, and its server if it holds worktrees. */
export class WorkspacePort implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly client: PortClient;
  private readonly server: PortServer | null;

  constructor(
    private readonly environment: Environment,
    private readonly lease: RunnerLease,
    local: WorkspaceHost,
  ) {
    const { CLUSTER_SECRET, ROLE } = environment;
    this.client = new PortClient(CLUSTER_SECRET);
    this.server = ROLE === 'api' ? null : new PortServer(local, lease.id, CLUSTER_SECRET);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.server === null) return;
    const { INTERNAL_PORT } = this.environment;
    const host = internalHost(this.environment);
    const port = await this.server.listen(INTERNAL_PORT, isLoopback(host) ? host.replace(/^\[|\]$/g, '') : undefined);
    if (INTERNAL_PORT === 0) await this.lease.moveTo(`${host}:${port}`);
  }

  async onApplicationShutdown(): Promise<void> {
    this.client.close();
    await this.server?.close();
  }
}
