import { Logger as NestLogger } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import { BackchannelLogout } from './pages/backchannel-logout.js';
import { PageSessions } from './pages/page-sessions.service.js';
import { ProviderSignIn } from './pages/provider-sign-in.js';
import { SignInLink } from './pages/sign-in-link.js';
import { servePages } from './pages/serve-pages.js';
import type { Environment } from './config/environment.js';
import { SERVER_INFO } from './config/version.js';
import { serveDocumentation } from './documentation.js';
import { JwtSource } from './oidc/jwt-source.js';
import { People } from './oidc/people.js';
import { ProtectedResources } from './oidc/protected-resources.js';
import { actForUsers, enrolWriters, PrincipalSource } from './platform/access/principal-source.js';
import { ForgeWebhooks } from './pull-requests/forge-webhooks.js';
import { RunTokens } from './platform/access/bearer-tokens.js';
import { AccessWatch, reportOverreach } from './platform/access/access-watch.js';
import { AccessControl } from './platform/access/access-control.js';
import { requireRights } from './platform/access/rights.js';
import { protect, requestOptions } from './platform/access/http-protection.js';
import { RunnerLease } from './cluster/runner-lease.js';
import { ErrorFilter } from './platform/errors/error.filter.js';
import { ChangeHub } from './platform/database/change-hub.js';
import { Database } from './platform/database/database.js';
import { actsAsOwner } from './platform/database/roles.js';
import { ProcessPool } from './platform/process/process-pool.js';
import { HealthModule } from './health/health.module.js';
import { reportSandbox } from './platform/sandbox/open-sandbox.js';
import { SANDBOX, type Sandbox } from './platform/sandbox/sandbox.js';
import { OneAttempt } from './runner/one-attempt.js';
import { TurnWorker } from './runner/turn-worker.js';
import { needsLocalToken, openLocalToken } from './tokens/local-token.js';
import { ServiceTokenSource } from './tokens/service-token-source.js';
import { answerInBytes } from './platform/rest/answer-bytes.js';
import { compressAnswers } from './platform/rest/compressed-answers.js';
import { nameLocations } from './platform/rest/created-location.js';
import { sayNestedRefusals } from './platform/rest/nested-refusals.js';
import { letRequestsEnd } from './platform/rest/graceful-close.js';
import { ServerCards } from './mcp/server-cards.js';
import { protectedResources, toolsets } from './toolsets/toolsets.js';

/** For logging before there is a server. */
export { logLines } from './platform/telemetry/log-lines.js';

/** The whole server over a migrated database, ready to listen. Used by the start and by every end-to-end test. */
export async function createApp(environment: Environment, databaseUrl: string): Promise<NestFastifyApplication> {
  // no Express middleware, whose engine would run for every request
  const adapter = new FastifyAdapter({ ...requestOptions(environment), skipMiddie: true });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forServer(environment, databaseUrl), adapter, {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalFilters(
    new ErrorFilter(environment.MAX_BODY_BYTES, (refused, request) =>
      reportOverreach(app.get(AccessWatch, { strict: false }), refused, request),
    ),
  );
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  if (environment.ROLE === 'runner') await serveProbesAlone(app, server, environment);
  else await serveCallers(app, server, environment);
  await app.init();
  // only now, because the framework logs every route it maps, and main.ts reports why a start failed
  app.useLogger(app.get(Logger));
  if (environment.ROLE !== 'api') reportSandbox(app.get<Sandbox>(SANDBOX), environment);
  return app;
}

/** Lets running turns finish before the end. */
export async function drain(app: NestFastifyApplication, { ROLE, DRAIN_SECS }: Environment): Promise<void> {
  if (ROLE === 'api') return;
  await app.get(TurnWorker, { strict: false }).drain(DRAIN_SECS * 1_000);
  await app.get(OneAttempt, { strict: false }).leave();
}

/** @param end called when a runner for one attempt has done what it lives for */
export function whenOver(app: NestFastifyApplication, { ROLE }: Environment, end: () => void): void {
  if (ROLE !== 'api') app.get(OneAttempt, { strict: false }).whenOver(end);
}

/** Makes the link that signs the owner in at a page. */
export const linkInto = (app: NestFastifyApplication) => (page: string) =>
  app.get(SignInLink, { strict: false }).make(page);

const ONE_ROLE =
  'DATABASE_URL names a role that may act as the owner of the tables: the database cannot keep this server from ' +
  'changing audit rows and thought records. Set MIGRATION_DATABASE_URL for the owner, and DATABASE_URL for a role of ' +
  'its own.';

/** Warns where the server's role may do more than the server. */
export async function reportRole(app: NestFastifyApplication): Promise<void> {
  const database = app.get(Database, { strict: false });
  if (await actsAsOwner((sql) => database.query(sql))) new NestLogger('Database').warn(ONE_ROLE);
}

async function serveCallers(
  app: NestFastifyApplication,
  server: FastifyInstance,
  environment: Environment,
): Promise<void> {
  const resources = new ProtectedResources(environment, protectedResources);
  if (environment.OIDC_ISSUER) resources.serve(server);
  const hasLocalToken = needsLocalToken(environment, app.get<Sandbox>(SANDBOX));
  app.get(AccessControl).accept({
    localToken: hasLocalToken ? await openLocalToken(environment) : null,
    sources: [
      app.get(RunTokens, { strict: false }),
      app.get(ServiceTokenSource, { strict: false }),
      ...(environment.OIDC_ISSUER
        ? [new JwtSource(environment, resources.audiences, app.get(People, { strict: false }))]
        : []),
    ],
    sessions: environment.PAGES === 'on' ? app.get(PageSessions, { strict: false }) : undefined,
    runs: environment.ROLE === 'api' ? { pids: [] } : app.get(ProcessPool, { strict: false }),
    changes: app.get(ChangeHub),
    watch: app.get(AccessWatch, { strict: false }),
  });
  const lease = app.get(RunnerLease, { strict: false });
  await protect(server, app.get(AccessControl), environment, () => lease.serving);
  actForUsers(server, app.get(PrincipalSource, { strict: false }));
  requireRights(server);
  enrolWriters(server, app.get(PrincipalSource, { strict: false }));
  nameLocations(server, environment.BASE_PATH);
  sayNestedRefusals(server);
  answerInBytes(server);
  await compressAnswers(server);
  letRequestsEnd(server);
  serveDocumentation(app, environment.BASE_PATH);
  if (environment.PAGES === 'on') {
    servePages(server, environment);
    app.get(ProviderSignIn, { strict: false }).serve(server);
    app.get(BackchannelLogout, { strict: false }).serve(server);
  }
  new ServerCards(environment.PUBLIC_URL, toolsets, SERVER_INFO).serve(server);
  app.get(ForgeWebhooks, { strict: false }).serve(server);
}

/** A runner has the services of the records, but not their routes. */
async function serveProbesAlone(
  app: NestFastifyApplication,
  server: FastifyInstance,
  environment: Environment,
): Promise<void> {
  for (const module of app.get(ModulesContainer).values())
    if (module.metatype !== HealthModule) module.controllers.clear();
  await protect(server, app.get(AccessControl), environment);
}
