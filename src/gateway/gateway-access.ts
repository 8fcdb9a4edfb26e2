import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { AccessControl, type Asked, isLoopback } from '../platform/access/access-control.js';
import { type BearerSource, isJwt, isServiceToken } from '../platform/access/bearer-tokens.js';
import { localOwner } from '../platform/access/principal.js';
import { SOCKET_HEADER } from '../platform/access/local-callers.js';
import { apiCaller } from './api-client.js';

/** The address the gateway listens on: loopback without a token, because remote callers could not be authenticated. */
export const bindHost = ({ MCP_HOST, OIDC_ISSUER, TASKFLOW_SERVICE_TOKEN }: Environment): string =>
  TASKFLOW_SERVICE_TOKEN || OIDC_ISSUER || isLoopback(MCP_HOST) ? MCP_HOST : '127.0.0.1';

/** Who may call the gateway. It adds no rights: the caller's own token is passed on to the API. */
export class GatewayAccess {
  private readonly access: AccessControl;

  constructor(environment: Environment) {
    this.access = new AccessControl({ ...environment, HOST: bindHost(environment) });
    this.access.accept({ sources: [tokensOfTheApi(environment)], runs: { pids: [] } });
  }

  /** Tells the API whose connection this is, because the API admits the gateway itself as the server's own user.
   *  @throws AppError as AccessControl */
  async admit(request: FastifyRequest): Promise<void> {
    await this.access.admit(request);
    request.principal = apiCaller({
      authorization: request.headers.authorization,
      'x-user-id': request.headers['x-user-id']?.toString(),
      [SOCKET_HEADER]: request.localSocket,
    });
  }

  isAllowedOrigin(asked: Asked): boolean {
    return this.access.isAllowedOrigin(asked);
  }
}

/** Whether only the API can check the token. A wrong copy of the shared token is refused here. */
const tokensOfTheApi = ({ TASKFLOW_SERVICE_TOKEN }: Environment): BearerSource => ({
  recognises: (token) => TASKFLOW_SERVICE_TOKEN === '' || isServiceToken(token) || isJwt(token),
  findPrincipal: () => Promise.resolve(localOwner),
});
