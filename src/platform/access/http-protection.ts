import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import type { Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { REQUEST_ID } from '../errors/error.filter.js';
import { errorHandler } from '../errors/error-handler.js';
import { type AccessControl, DOCUMENTATION, PAGE, pathOf } from './access-control.js';
import { observeRequests } from '../telemetry/request-telemetry.js';
import { readJsonBodies } from './json-body.js';
import { limitedAs } from './principal.js';
import { readLineBodies } from './line-body.js';

const RECEIVED_WITHIN_MS = 120_000;
const pageHeaders = headersOf({
  contentSecurityPolicy: { directives: { scriptSrc: ["'self'", "'unsafe-inline'"], upgradeInsecureRequests: null } },
  strictTransportSecurity: false,
});
/** Nothing inline and nothing from other origins, because the page shows what agents write. */
const appHeaders = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'self'"],
    },
  },
  strictTransportSecurity: false,
});
const dataHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
};
const PROBES = /^\/(health\/|metrics)/;

/** How fastify reads requests, on every port of ours. */
export const requestOptions = (environment: Environment) =>
  ({
    bodyLimit: environment.MAX_BODY_BYTES,
    requestTimeout: RECEIVED_WITHIN_MS,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
    trustProxy: environment.TRUSTED_PROXIES.length ? environment.TRUSTED_PROXIES : false,
    rewriteUrl: withoutPrefix(environment.BASE_PATH),
    genReqId: () => crypto.randomUUID(),
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    frameworkErrors: errorHandler(environment.MAX_BODY_BYTES), // addresses that no router can read
  }) as const;

/** A proxy may pass the prefix on, or take it away. */
const withoutPrefix =
  (prefix: string) =>
  ({ url = '/' }: { url?: string }): string =>
    prefix && (url === prefix || url.startsWith(`${prefix}/`)) ? url.slice(prefix.length) || '/' : url;

/** Host, Origin, token and rate are checked before a body is read, on every route.
 *  CORS comes first: a preflight carries no token, and a page may read the refusals too.
 *  @param sharers processes that share the budget of a caller */
export async function protect(
  server: FastifyInstance,
  access: Pick<AccessControl, 'admit' | 'isAllowedOrigin'>,
  environment: Environment,
  sharers: () => number = () => 1,
): Promise<void> {
  observeRequests(server, environment);
  readJsonBodies(server);
  readLineBodies(server);
  // Preflights have a route of their own, which is bound before Nest brings its error handler.
  server.addHook('onRoute', (route) => {
    if (route.url === '*') route.errorHandler = errorHandler(environment.MAX_BODY_BYTES);
  });
  await promisify(cors)(forPages(server), {
    delegator: (request, done) =>
      done(null, {
        origin: access.isAllowedOrigin(request) && request.headers.origin,
        exposedHeaders: ['www-authenticate', 'mcp-session-id', 'retry-after', 'location', REQUEST_ID],
        methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      }),
  });
  server.addHook('onSend', drainRefusedBody);
  server.addHook('onRequest', guardBrowsers);
  server.addHook('onRequest', (request, _, done) => {
    const lookup = access.admit(request);
    if (lookup) lookup.then(() => done(), done);
    else done();
  });
  if (environment.RATE_LIMIT_PER_MINUTE === 0) return;
  await server.register(rateLimit, {
    max: () => Math.ceil(environment.RATE_LIMIT_PER_MINUTE / sharers()),
    timeWindow: 60_000,
    keyGenerator: ({ principal, ip }) => (principal ? limitedAs(principal) : ip),
    allowList: (request) => PROBES.test(request.url),
    errorResponseBuilder: (_, { ttl }) =>
      new AppError('rate_limited', { retry_after_secs: Math.ceil(ttl / 1_000), limit: 'RATE_LIMIT_PER_MINUTE' }),
  });
}

/** Runs a CORS plugin's hooks only for requests with an Origin; the rest just get `Vary: Origin` for caches. */
function forPages(server: FastifyInstance): FastifyInstance {
  const addHook = (name: 'onRequest', hook: onRequestHookHandler) =>
    server.addHook(name, function forPage(request, reply, done) {
      if (request.headers.origin !== undefined) return hook.call(this, request, reply, done);
      void reply.header('vary', 'Origin');
      done();
    });
  return Object.create(server, { addHook: { value: addHook } }) as FastifyInstance;
}

/** Pages get helmet's headers; programs only the few that matter to them, because each header costs time. */
function guardBrowsers(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const path = pathOf(request);
  reply.headers(DOCUMENTATION.test(path) ? pageHeaders : PAGE.test(path) ? appHeaders : dataHeaders);
  void reply.header(REQUEST_ID, request.id);
  done();
}

/** Runs helmet once; it would compute the same headers for every request. */
function headersOf(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  // helmet asks no more of a response than these two
  const collector = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, collector as unknown as ServerResponse, () => undefined);
  return headers;
}

/** fastify closes at once when it refuses a body, and a client that is still sending sees a reset instead of the
 *  answer. So the rest of the body is read and dropped. */
function drainRefusedBody(request: FastifyRequest, reply: FastifyReply, _: unknown, done: () => void): void {
  if (reply.statusCode === 413 || (reply.statusCode === 400 && !request.raw.complete)) {
    reply.removeHeader('connection');
    request.raw.resume();
  }
  done();
}
