import { fastify, type FastifyInstance } from 'fastify';
import type { Environment } from '../config/environment.js';
import { McpEndpoint } from '../mcp/mcp-endpoint.js';
import { ProtectedResources } from '../oidc/protected-resources.js';
import { protect, requestOptions } from '../platform/access/http-protection.js';
import { localOwner } from '../platform/access/principal.js';
import { errorHandler } from '../platform/errors/error-handler.js';
import { answerInBytes } from '../platform/rest/answer-bytes.js';
import { processMetrics } from '../platform/telemetry/metrics.js';
import { protectedResources, toolsets } from '../toolsets/toolsets.js';
import { ApiClient } from './api-client.js';
import { ApiAttemptBinding, apiDispatcher } from './api-toolset.js';
import { GatewayAccess } from './gateway-access.js';

const READY_TIMEOUT_MS = 3_000;

/** Live if the process answers, ready if the API is; metrics are those of the gateway itself. */
function registerProbes(server: FastifyInstance, api: ApiClient): void {
  server.get('/health/live', () => ({ status: 'ok' }));
  server.get('/health/ready', async (_, reply) => {
    const isReady = await api.get('/health/ready', localOwner, READY_TIMEOUT_MS).then(
      ({ status }) => status === 200,
      () => false,
    );
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ok' : 'the API at TASKFLOW_API_URL is not ready' });
  });
  server.get('/metrics', async (_, reply) =>
    reply.type(processMetrics.contentType).send(await processMetrics.metrics()),
  );
}

/** The MCP endpoints of every toolset over the API at TASKFLOW_API_URL: no database, no records, ready to listen. */
export async function createGateway(environment: Environment): Promise<FastifyInstance> {
  const server = fastify(requestOptions(environment));
  const api = new ApiClient(environment.TASKFLOW_API_URL);
  const refuse = errorHandler(environment.MAX_BODY_BYTES);
  server.setErrorHandler(refuse);
  server.setNotFoundHandler((request, reply) => refuse({ statusCode: 404 }, request, reply));
  if (environment.OIDC_ISSUER) new ProtectedResources(environment, protectedResources).serve(server);
  await protect(server, new GatewayAccess(environment), environment);
  answerInBytes(server);
  registerProbes(server, api);
  for (const toolset of toolsets)
    new McpEndpoint(toolset, apiDispatcher(api, toolset), new ApiAttemptBinding(api)).register(server);
  await server.ready();
  return server;
}
