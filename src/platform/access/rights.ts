import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { Principal } from './principal.js';
import { type Right, rightOf, type Scope } from './scopes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route asks of its caller; null where each call of it says so itself. */
    right?: Right | null;
  }
}

/** A route that does not say what it asks for is for administrators. */
const unsaid = rightOf({ scope: 'admin' });

/** The scope that the caller lacks. Where an operation asks for a role beyond its scope, who is bound to no membership
 *  has to be an administrator. */
export function missingScope({ scopes, worker }: Principal, { scope, role }: Right): Scope | null {
  if (!scopes.includes(scope)) return scope;
  const isBeyondScope = role !== rightOf({ scope }).role;
  return isBeyondScope && worker === null && !scopes.includes('admin') ? 'admin' : null;
}

/** The caller in this operation. @throws AppError insufficient_scope */
export function withRight(principal: Principal, right: Right): Principal {
  const scope = missingScope(principal, right);
  if (scope !== null) throw new AppError('insufficient_scope', { scope });
  return principal.operation === right ? principal : { ...principal, operation: right };
}

/** Before a body is read, as soon as it is known who calls, and as whom. */
export function requireRights(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) => {
    requireRightOfRoute(request);
    done();
  });
}

/** @throws AppError insufficient_scope */
function requireRightOfRoute(request: FastifyRequest): void {
  const { principal, is404, routeOptions } = request;
  if (principal === undefined || is404) return; // probes, the documentation, and what is nowhere
  const { right = unsaid } = routeOptions.config;
  if (right !== null) request.principal = withRight(principal, right);
}
