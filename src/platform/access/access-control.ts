import { isIPv4 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { Authentication, type Callers, timesSent } from './authentication.js';
import type { Principal } from './principal.js';

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
    /** Inode of the caller's socket, where it was admitted for owning it. */
    localSocket?: string;
  }
}

/** Called by machines that use no host name of ours, and by clients of any page before they have a token. */
const PUBLIC = /^\/(health\/(live|ready)|\.well-known\/oauth-protected-resource(\/.*)?)$/;
/** So may clients of any page read what the endpoints are. */
const CARDS = /^\/(\.well-known\/ai-catalog\.json|mcp(\/\w+)?\/server-card)$/;
const METRICS = '/metrics';
/** Forges call it and authenticate by signing the body. */
export const WEBHOOKS = '/api/webhooks/';
/** The documentation holds no data. */
export const DOCUMENTATION = /^\/api\/(docs(\/.*)?|openapi\.json)$/;
/** The page for people holds no data either, and is where they sign in. */
export const PAGE = /^\/(ui(\/.*)?)?$/;

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

/** The parts of a request that tell which page it comes from and which address it went to. */
export type Asked = Pick<FastifyRequest, 'headers' | 'protocol'>;

/** Who may call: checks Host, Origin and the bearer token before a body is read, for REST and MCP alike. */
@Injectable()
export class AccessControl {
  private readonly authentication: Authentication;
  private readonly publicHost: string | null;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {
    this.authentication = new Authentication(environment);
    this.publicHost = environment.PUBLIC_URL ? new URL(environment.PUBLIC_URL).hostname : null;
  }

  /** Adds sources of callers that are admitted from now on. */
  accept(callers: Callers): void {
    this.authentication.accept(callers);
  }

  /** @throws AppError unauthenticated, auth_unavailable, rate_limited */
  findHolder(address: string, token: string): Promise<Principal> {
    return this.authentication.findHolder(address, token);
  }

  /** @returns a promise where a token has to be looked up
   *  @throws AppError host_forbidden, origin_forbidden, unauthenticated, auth_unavailable, rate_limited */
  admit(request: FastifyRequest): void | Promise<void> {
    const path = pathOf(request);
    requireOneHost(request);
    if (PUBLIC.test(path) || CARDS.test(path)) return;
    this.requireHost(request.headers.host);
    this.requireOrigin(request);
    if (PAGE.test(path) || path.startsWith(WEBHOOKS)) return;
    if (path !== METRICS && !DOCUMENTATION.test(path)) return this.authentication.identify(request, path);
    if (this.authentication.isClosed) return this.admitAnybodyKnown(request, path);
  }

  /** Figures and documentation belong to no project: any credential will do. */
  private async admitAnybodyKnown(request: FastifyRequest, path: string): Promise<void> {
    await this.authentication.identify(request, path);
    request.principal = undefined;
  }

  /** Without ALLOWED_ORIGINS only the server's own pages are allowed, under the name it was called by or PUBLIC_URL. */
  isAllowedOrigin({ headers, protocol }: Asked): boolean {
    const { ALLOWED_ORIGINS, PUBLIC_URL } = this.environment;
    if (headers.origin === undefined) return false;
    if (PUBLIC_URL && headers.origin === PUBLIC_URL) return true;
    if (ALLOWED_ORIGINS.length) return ALLOWED_ORIGINS.includes(headers.origin);
    return headers.origin === `${protocol}://${headers.host ?? ''}`;
  }

  private requireHost(host = ''): void {
    const name = host.replace(/:\d+$/, '');
    const { ALLOWED_HOSTS, HOST } = this.environment;
    if (name.toLowerCase() === this.publicHost) return;
    const allowed = ALLOWED_HOSTS.length
      ? ALLOWED_HOSTS.includes(name) || isLoopback(name)
      : !isLoopback(HOST) || isLoopback(name);
    if (!allowed) throw new AppError('host_forbidden', { host: name.slice(0, 100) });
  }

  /** Browsers send Origin, except for images, scripts and links, for which they send Sec-Fetch-Site. */
  private requireOrigin(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': distance } = request.headers;
    if (isVisit(request)) return;
    const isForeign = origin !== undefined || distance === 'cross-site' || distance === 'same-site';
    if (isForeign && !this.isAllowedOrigin(request))
      throw new AppError('origin_forbidden', { origin: (origin ?? String(distance)).slice(0, 100) });
  }
}

/** Somebody follows a link to the page, from a chat or back from the identity provider. A frame is none, nor is what a
 *  script of another page asks for. */
function isVisit({ method, url, headers }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return (
    method === 'GET' &&
    mode === 'navigate' &&
    destination === 'document' &&
    origin === undefined &&
    PAGE.test(pathOf({ url }))
  );
}

/** Node takes the first of two; a proxy in front may have checked the second. @throws AppError host_forbidden */
function requireOneHost(request: FastifyRequest): void {
  if (timesSent(request, 'host') > 1) throw new AppError('host_forbidden', { host: 'two Host headers' });
}
