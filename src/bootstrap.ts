import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import type { Environment } from './config/environment.js';
import { serveDocumentation } from './documentation.js';
import { AccessControl } from './platform/access/access-control.js';
import { AppError } from './platform/errors/app-error.js';
import { ErrorFilter } from './platform/errors/error.filter.js';

const PROBES = /^\/(health\/|metrics)/;

/** The whole server over a migrated database, ready to listen. Used by the start and by every end-to-end test. */
export async function createApp(environment: Environment, databaseUrl: string): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: environment.MAX_BODY_BYTES, forceCloseConnections: true, routerOptions: { maxParamLength: 200 },
    genReqId: () => crypto.randomUUID(), onProtoPoisoning: 'remove', onConstructorPoisoning: 'remove',
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forServer(environment, databaseUrl), adapter, { logger: ['error', 'warn', 'fatal'], abortOnError: false });
  app.useGlobalFilters(new ErrorFilter(environment.MAX_BODY_BYTES));
  await protect(app, environment);
  serveDocumentation(app);
  await app.init();
  app.useLogger(app.get(Logger)); // only now: the framework lists every route it maps
  return app;
}

/** Host, Origin, token and rate are checked before a body is read, on every route. */
async function protect(app: NestFastifyApplication, environment: Environment): Promise<void> {
  const server = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const access = app.get(AccessControl);
  server.addHook('onRequest', async (request) => access.admit(request));
  await server.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && access.isAllowedOrigin(origin)),
    exposedHeaders: ['www-authenticate', 'mcp-session-id'], methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  });
  await server.register(helmet, { contentSecurityPolicy: { directives: { scriptSrc: ["'self'", "'unsafe-inline'"], upgradeInsecureRequests: null } }, strictTransportSecurity: false });
  if (environment.RATE_LIMIT_PER_MINUTE === 0) return;
  await server.register(rateLimit, {
    max: environment.RATE_LIMIT_PER_MINUTE, timeWindow: 60_000, allowList: (request) => PROBES.test(request.url),
    errorResponseBuilder: (_, { ttl }) => new AppError('rate_limited', { retry_after_secs: Math.ceil(ttl / 1_000) }),
  });
}
