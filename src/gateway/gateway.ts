import { fastify, type FastifyInstance } from 'fastify';
import type { Environment } from '../config/environment.js';
import { AttemptBinding } from '../mcp/attempt-binding.js';
import { McpEndpoint } from '../mcp/mcp-endpoint.js';
import { Dispatcher } from '../mcp/protocol/dispatcher.js';
import { ProtectedResources } from '../oidc/protected-resources.js';
import { protect, requestOptions } from '../platform/access/http-protection.js';
import type { Principal } from '../platform/access/principal.js';
import { errorHandler } from '../platform/errors/error-handler.js';
import { isRecord } from '../platform/fields/normalise.js';
import { answerInBytes } from '../platform/rest/answer-bytes.js';
import { protectedResources, toolsets } from '../toolsets/toolsets.js';
import { SERVER_INFO } from '../config/version.js';
import { ApiClient, parseJson, refusalIn } from './api-client.js';
import { ApiCompletions } from './api-completions.js';
import { ApiToolCalls } from './api-tool-calls.js';
import { GatewayAccess } from './gateway-access.js';
import { registerProbes } from './gateway-probes.js';

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
  for (const toolset of toolsets) {
    const dispatcher = new Dispatcher(toolset, SERVER_INFO, new ApiToolCalls(api), new ApiCompletions(api, toolset));
    new McpEndpoint(toolset, dispatcher, new ApiAttemptBinding(api)).register(server);
  }
  await server.ready();
  return server;
}

/** An endpoint may be bound to an attempt that the API shows to the caller. */
class ApiAttemptBinding extends AttemptBinding {
  constructor(private readonly api: ApiClient) {
    super();
  }

  async check(attempt_id: string, principal: Principal): Promise<void> {
    const answer = await this.api.get(`/api/attempts/${attempt_id}`, principal);
    const body = parseJson(answer.text);
    if (answer.status !== 200 || !isRecord(body) || body.attempt_id !== attempt_id) throw refusalIn(answer);
  }
}
