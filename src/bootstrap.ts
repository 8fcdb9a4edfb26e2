import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import type { Environment } from './config/environment.js';
import { serveDocumentation } from './documentation.js';
import { actForUsers } from './platform/access/user-id-header.js';
import { RunTokens } from './platform/access/run-tokens.js';
import { PrincipalSource } from './platform/access/principal-source.js';
import { AccessControl } from './platform/access/access-control.js';
import { protect, requestOptions } from './platform/access/http-protection.js';
import { ErrorFilter } from './platform/errors/error.filter.js';
import { answerInBytes } from './platform/rest/answer-bytes.js';
import { letRequestsEnd } from './platform/rest/graceful-close.js';

/** The whole server over a migrated database, ready to listen. Used by the start and by every end-to-end test. */
export async function createApp(environment: Environment, databaseUrl: string): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ ...requestOptions(environment), skipMiddie: true }); // no middleware of express: its engine would look at every request
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forServer(environment, databaseUrl), adapter, {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalFilters(new ErrorFilter(environment.MAX_BODY_BYTES));
  const server = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  app.get(AccessControl).acceptRunTokens(app.get(RunTokens, { strict: false }));
  await protect(server, app.get(AccessControl), environment);
  actForUsers(server, app.get(PrincipalSource, { strict: false }));
  answerInBytes(server);
  letRequestsEnd(server);
  serveDocumentation(app);
  await app.init();
  app.useLogger(app.get(Logger)); // only now: the framework lists every route it maps, and main.ts tells why a start failed
  return app;
}
