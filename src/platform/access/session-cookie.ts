import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';

const SAFE = new Set(['GET', 'HEAD']);

type Asked = Pick<FastifyRequest, 'headers' | 'protocol'>;

/** `__Host-` cookies are sent over TLS only, and no sibling domain can plant one. */
const nameOf = ({ protocol }: Asked): string => (protocol === 'https' ? '__Host-ty' : 'ty');

/** Brings the other half of the secret. Cookies go to every port of a host, and what a page stores to its own origin
 *  alone: a cookie that another server was sent opens nothing. */
const PAGE_HEADER = 'taskyard-page';

/** The two halves as one secret. */
export const sessionSecret = (cookie: string, page: string): string => `${cookie}.${page}`;

/** The session secret of a person at the page; null if the request lacks a half. */
export function sessionSecretOf(request: Asked): string | null {
  const cookie = cookieOf(request);
  const page = request.headers[PAGE_HEADER];
  return cookie === null || typeof page !== 'string' ? null : sessionSecret(cookie, page);
}

function cookieOf(request: Asked): string | null {
  const name = nameOf(request);
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const [key, ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}

/** Whether it has one under either name: two credentials are one too many, valid or not. */
export const bringsSession = ({ headers }: Asked): boolean => /(?:^|;\s*)(?:__Host-)?ty=/.test(headers.cookie ?? '');

/** The header that sets the cookie. @param maxAgeSecs 0 takes it away */
export function sessionCookie(request: Asked, half: string, maxAgeSecs: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${nameOf(request)}=${half}; Path=/; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Strict${secure}`;
}

/** Browsers add the cookie by themselves, so a change has to name its page in Origin, which was checked before. @throws
 *  AppError origin_forbidden */
export function requireOwnPage({ method, headers }: FastifyRequest): void {
  if (!SAFE.has(method) && headers.origin === undefined) throw new AppError('origin_forbidden', { origin: 'none' });
}
