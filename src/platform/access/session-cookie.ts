import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';

const SAFE = new Set(['GET', 'HEAD']);

type Asked = Pick<FastifyRequest, 'headers' | 'protocol'>;

/** One that was set over TLS is never sent without, and no neighbour of the host can plant it. */
const nameOf = ({ protocol }: Asked): string => (protocol === 'https' ? '__Host-ty' : 'ty');

/** What names the session of a person at the page; null where the request brings none. */
export function sessionSecretOf(request: Asked): string | null {
  const name = nameOf(request);
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const [key, ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}

/** Whether it brings one by either name: two credentials are one too many, whatever they are good for. */
export const bringsSession = ({ headers }: Asked): boolean => /(?:^|;\s*)(?:__Host-)?ty=/.test(headers.cookie ?? '');

/** The header that sets the cookie. @param maxAgeSecs 0 takes it away */
export function sessionCookie(request: Asked, secret: string, maxAgeSecs: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${nameOf(request)}=${secret}; Path=/; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Strict${secure}`;
}

/** A browser adds the cookie by itself, so that a change has to name the page it comes from; whether that is ours has
 *  been checked. @throws AppError origin_forbidden */
export function requireOwnPage({ method, headers }: FastifyRequest): void {
  if (!SAFE.has(method) && headers.origin === undefined) throw new AppError('origin_forbidden', { origin: 'none' });
}
