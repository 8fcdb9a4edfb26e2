import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { localOwner, type Principal } from './principal.js';

declare module 'fastify' {
  interface FastifyRequest { principal?: Principal }
}

const OPEN_PATHS = /^\/(health\/(live|ready)|metrics)$/;
/** The documentation holds no data and a browser cannot send a token for it. */
export const DOCUMENTATION = /^\/api\/(docs(\/.*)?|openapi\.json)$/;

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

/** Who may call: checks Host, Origin and the bearer token before a body is read, for REST and MCP alike. */
@Injectable()
export class AccessControl {
  private readonly token: Buffer | null;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {
    this.token = environment.TASKFLOW_SERVICE_TOKEN ? digest(environment.TASKFLOW_SERVICE_TOKEN) : null;
  }

  /** @throws AppError host_forbidden, origin_forbidden, unauthenticated */
  admit(request: FastifyRequest): void {
    const path = request.url.split('?', 1)[0];
    if (OPEN_PATHS.test(path)) return;
    this.requireHost(request.headers.host);
    this.requireOrigin(request.headers.origin);
    request.principal = DOCUMENTATION.test(path) ? localOwner : this.authenticate(request);
  }

  isAllowedOrigin(origin: string): boolean {
    const { ALLOWED_ORIGINS } = this.environment;
    if (ALLOWED_ORIGINS.length) return ALLOWED_ORIGINS.includes(origin);
    return URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  }

  private authenticate(request: FastifyRequest): Principal {
    if (this.token === null) return localOwner;
    const [, given] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given === undefined || !timingSafeEqual(digest(given), this.token)) throw new AppError('unauthenticated');
    return { ...localOwner, id: 'service' };
  }

  private requireHost(host = ''): void {
    const name = host.replace(/:\d+$/, '');
    const { ALLOWED_HOSTS, HOST } = this.environment;
    const allowed = ALLOWED_HOSTS.length ? ALLOWED_HOSTS.includes(name) || isLoopback(name) : !isLoopback(HOST) || isLoopback(name);
    if (!allowed) throw new AppError('host_forbidden', { host: name.slice(0, 100) });
  }

  private requireOrigin(origin: string | undefined): void {
    if (origin !== undefined && !this.isAllowedOrigin(origin)) throw new AppError('origin_forbidden', { origin: origin.slice(0, 100) });
  }
}

/** Hashes have one length, so that the comparison tells nothing about the token's. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
