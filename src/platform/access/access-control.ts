import { timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { FailedLogins } from './failed-logins.js';
import { LocalCallers, requireNoRun, type RunProcesses, SOCKET_HEADER } from './local-callers.js';
import { localOwner, type Principal } from './principal.js';
import { isRunToken, RUN_PATH, type RunTokens } from './run-tokens.js';
import { tokenDigest } from './token-digest.js';

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
    /** Inode of the caller's socket, where it was admitted for owning it. */
    localSocket?: string;
  }
}

/** Asked by machines that know the server by no name. */
const PROBES = /^\/health\/(live|ready)$/;
const METRICS = '/metrics';
/** The documentation holds no data and a browser cannot send a token for it. */
export const DOCUMENTATION = /^\/api\/(docs(\/.*)?|openapi\.json)$/;

/** The address without its query. */
export const pathOf = ({ url }: { url: string }): string => url.replace(/\?.*$/s, '');

export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
  );
}

/** What of a request says which page it comes from, and to which address. */
export type Asked = Pick<FastifyRequest, 'headers' | 'protocol'>;

/** Who may call: checks Host, Origin and the bearer token before a body is read, for REST and MCP alike. */
@Injectable()
export class AccessControl {
  private readonly token: Buffer | null;
  private readonly failedLogins = new FailedLogins();
  private readonly localCallers = new LocalCallers();
  private runTokens: RunTokens | null = null;
  private runs: RunProcesses = { pids: [] };

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {
    this.token = environment.TASKFLOW_SERVICE_TOKEN ? tokenDigest(environment.TASKFLOW_SERVICE_TOKEN) : null;
  }

  /** From now on running agents are admitted too, each by its token to its own attempt, and by nothing else. */
  acceptRuns(tokens: RunTokens, processes: RunProcesses): void {
    this.runTokens = tokens;
    this.runs = processes;
  }

  /** @returns a promise where a token has to be looked up
   *  @throws AppError host_forbidden, origin_forbidden, unauthenticated, rate_limited */
  admit(request: FastifyRequest): void | Promise<void> {
    const path = pathOf(request);
    requireOneHost(request);
    if (PROBES.test(path)) return;
    this.requireHost(request.headers.host);
    this.requireOrigin(request);
    if (path !== METRICS && !DOCUMENTATION.test(path)) return this.authenticate(request, path);
  }

  /** Where none are set, only pages of this very server are allowed, under the name by which it was called. */
  isAllowedOrigin({ headers, protocol }: Asked): boolean {
    const { ALLOWED_ORIGINS } = this.environment;
    if (headers.origin === undefined) return false;
    if (ALLOWED_ORIGINS.length) return ALLOWED_ORIGINS.includes(headers.origin);
    return headers.origin === `${protocol}://${headers.host ?? ''}`;
  }

  private authenticate(request: FastifyRequest, path: string): void | Promise<void> {
    const [, given] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given !== undefined && (this.token !== null || isRunToken(given))) this.failedLogins.requireRoom(request.ip);
    if (given !== undefined && this.runTokens !== null && isRunToken(given))
      return this.admitRun(request, path, this.runTokens.findPrincipal(given));
    if (this.token === null) return this.admitOwner(request);
    if (given === undefined) throw new AppError('unauthenticated');
    if (!timingSafeEqual(tokenDigest(given), this.token)) {
      this.failedLogins.record(request.ip, 'the token is wrong');
      throw new AppError('unauthenticated');
    }
    request.principal = { ...localOwner, id: 'service' };
  }

  private async admitOwner(request: FastifyRequest): Promise<void> {
    const inode = await this.localCallers.requireOwner(request.socket, this.runs);
    const passedOn = request.headers[SOCKET_HEADER];
    if (typeof passedOn === 'string') await requireNoRun(passedOn, this.runs);
    request.localSocket = inode ?? undefined;
    request.principal = localOwner;
  }

  private async admitRun(request: FastifyRequest, path: string, found: Promise<Principal | null>): Promise<void> {
    const principal = await found;
    const { attempt_id } = request.query as { attempt_id?: unknown };
    if (principal === null) {
      this.failedLogins.record(request.ip, 'the run token is unknown, or its run has ended');
      throw new AppError('unauthenticated', {}, 'A run token is valid only during its run, which has ended.');
    }
    if (path !== RUN_PATH || attempt_id !== principal.attempt)
      throw new AppError(
        'unauthenticated',
        {},
        `A run token is valid only for ${RUN_PATH}?attempt_id=${principal.attempt}.`,
      );
    request.principal = principal;
  }

  private requireHost(host = ''): void {
    const name = host.replace(/:\d+$/, '');
    const { ALLOWED_HOSTS, HOST } = this.environment;
    const allowed = ALLOWED_HOSTS.length
      ? ALLOWED_HOSTS.includes(name) || isLoopback(name)
      : !isLoopback(HOST) || isLoopback(name);
    if (!allowed) throw new AppError('host_forbidden', { host: name.slice(0, 100) });
  }

  /** A browser names the page in Origin, but for images, scripts and links: then it says how far away the page is. */
  private requireOrigin(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': distance } = request.headers;
    const isForeign = origin !== undefined || distance === 'cross-site' || distance === 'same-site';
    if (isForeign && !this.isAllowedOrigin(request))
      throw new AppError('origin_forbidden', { origin: (origin ?? String(distance)).slice(0, 100) });
  }
}

/** Node takes the first of two; a proxy before it may have checked the second. @throws AppError host_forbidden */
function requireOneHost({ raw: { rawHeaders } }: FastifyRequest): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new AppError('host_forbidden', { host: 'two Host headers' });
}
