import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { errorHandler } from '../errors/error-handler.js';
import type { AccessControl } from './access-control.js';

const RECEIVED_WITHIN_MS = 120_000;
const PROBES = /^\/(health\/|metrics)/;

/** How fastify reads requests, on every port of ours. */
export const requestOptions = (environment: Environment) => ({
  bodyLimit: environment.MAX_BODY_BYTES, requestTimeout: RECEIVED_WITHIN_MS, forceCloseConnections: true, routerOptions: { maxParamLength: 200 },
  genReqId: () => crypto.randomUUID(), onProtoPoisoning: 'remove', onConstructorPoisoning: 'remove',
  frameworkErrors: errorHandler(environment.MAX_BODY_BYTES), // addresses that no router can read
} as const);

/** Host, Origin, token and rate are checked before a body is read, on every route.
 *  CORS comes first: a preflight carries no token, and a page may read the refusals too. */
export async function protect(server: FastifyInstance, access: Pick<AccessControl, 'admit' | 'isAllowedOrigin'>, environment: Environment): Promise<void> {
  server.removeContentTypeParser('text/plain'); // JSON alone: other types are what foreign pages may send unasked
  // Preflights have a route of their own, which is bound before Nest brings its error handler.
  server.addHook('onRoute', (route) => { if (route.url === '*') route.errorHandler = errorHandler(environment.MAX_BODY_BYTES); });
  await server.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && access.isAllowedOrigin(origin)),
    exposedHeaders: ['www-authenticate', 'mcp-session-id', 'retry-after'], methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  });
  server.addHook('onSend', drainRefusedBody);
  server.addHook('onRequest', async (request) => access.admit(request));
  await server.register(helmet, { contentSecurityPolicy: { directives: { scriptSrc: ["'self'", "'unsafe-inline'"], upgradeInsecureRequests: null } }, strictTransportSecurity: false });
  if (environment.RATE_LIMIT_PER_MINUTE === 0) return;
  await server.register(rateLimit, {
    max: environment.RATE_LIMIT_PER_MINUTE, timeWindow: 60_000, allowList: (request) => PROBES.test(request.url),
    errorResponseBuilder: (_, { ttl }) => new AppError('rate_limited', { retry_after_secs: Math.ceil(ttl / 1_000) }),
  });
}

/** fastify would close at once, and a client that still sends would meet a reset in place of the answer. The rest is read and dropped. */
async function drainRefusedBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.statusCode !== 413) return;
  reply.removeHeader('connection');
  request.raw.resume();
}
