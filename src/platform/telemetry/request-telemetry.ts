import { Logger } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { failed, type Ids, openScope, type Scope, within } from './scope.js';
import { httpDuration } from './metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    scope?: Scope;
  }
}

/** Route parameters that log lines carry. */
const ROUTE_IDS = ['project_id', 'task_id', 'attempt_id', 'session_id', 'execution_process_id'] as const;
const PROBES = /^\/(health\/|metrics)/;

/** Opens a scope for every request, so that log lines carry its id and trace, and measures it by route. Comes before
 *  all other hooks, so that refusals are measured too. */
export function observeRequests(server: FastifyInstance, { LOG_LEVEL }: Pick<Environment, 'LOG_LEVEL'>): void {
  server.addHook('onRequest', (request, _, done) => {
    if (PROBES.test(request.url)) return done();
    const { method, routeOptions, headers } = request;
    const route = routeOptions.url ?? 'none';
    const attributes = { 'http.request.method': method, 'http.route': route };
    request.scope = openScope(
      `${method} ${route}`,
      () => idsOf(request),
      { kind: SpanKind.SERVER, attributes },
      headers.traceparent,
    );
    within(request.scope, done);
  });
  // the body arrived in the socket's context, which has no scope
  server.addHook('preValidation', ({ scope }, _, done) => (scope ? within(scope, done) : done()));
  server.addHook('onResponse', (request, reply, done) => {
    if (request.scope) {
      const { statusCode, elapsedTime } = reply;
      const route = request.routeOptions.url ?? 'none';
      httpDuration.observe({ method: request.method, route, status: statusCode }, elapsedTime / 1_000);
      request.scope.span.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) failed(request.scope.span, String(statusCode));
      request.scope.span.end();
    }
    done();
  });
  if (LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace') logAnswers(server);
}

/** One line an answer. What other lines have to do with it, they say by the same request id. */
function logAnswers(server: FastifyInstance): void {
  const logger = new Logger('Http');
  server.addHook('onResponse', ({ scope, method, routeOptions }, { statusCode, elapsedTime }, done) => {
    const answer = { method, route: routeOptions.url ?? 'none', status: statusCode, duration_ms: elapsedTime };
    if (scope) within(scope, () => logger.debug(answer, 'answered'));
    done();
  });
}

function idsOf({ id, principal, params }: FastifyRequest & { principal?: { id: string } }): Ids {
  const given = (params ?? {}) as Record<string, string>;
  const ids = ROUTE_IDS.map((name) => [name, given[name]] as const);
  return { request_id: String(id), principal_id: principal?.id, ...Object.fromEntries(ids) };
}
