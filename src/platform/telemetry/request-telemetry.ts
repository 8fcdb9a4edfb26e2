import { SpanKind } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { failed, type Ids, openScope, type Scope, within } from './scope.js';
import { httpDuration } from './metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    scope?: Scope;
  }
}

/** Parameters of a route by which a line of the log is found. */
const ROUTE_IDS = ['project_id', 'task_id', 'attempt_id', 'session_id', 'execution_process_id'] as const;
const PROBES = /^\/(health\/|metrics)/;

/** Every request is a scope of its own: its id and its trace are in each line that is logged for it, and it is
 *  measured by its route. Comes before all other hooks, so that refusals are measured as well. */
export function observeRequests(server: FastifyInstance): void {
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
  // the body arrived on the socket's own, where no scope is
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
}

function idsOf({ id, principal, params }: FastifyRequest & { principal?: { id: string } }): Ids {
  const given = (params ?? {}) as Record<string, string>;
  const ids = ROUTE_IDS.map((name) => [name, given[name]] as const);
  return { request_id: String(id), principal_id: principal?.id, ...Object.fromEntries(ids) };
}
