import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { AccessControl, type Asked, isLoopback } from '../platform/access/access-control.js';
import type { BearerSource } from '../platform/access/bearer-source.js';
import { localOwner } from '../platform/access/principal.js';
import { isJwt, isServiceToken } from '../platform/access/token-forms.js';
import { SOCKET_HEADER } from '../platform/access/local-callers.js';
import { apiCaller } from './api-caller.js';

/** Where the gateway listens: without a token, callers from elsewhere cannot be told apart from strangers. */
export const bindHost = ({ MCP_HOST, OIDC_ISSUER, TASKFLOW_SERVICE_TOKEN }: Environment): string =>
  TASKFLOW_SERVICE_TOKEN || OIDC_ISSUER || isLoopback(MCP_HOST) ? MCP_HOST : '127.0.0.1';

/** Who may call the gateway. It adds no rights: callers bring their own token, which goes on to the API. */
export class GatewayAccess {
  private readonly access: AccessControl;

  constructor(environment: Environment) {
    this.access = new AccessControl({ ...environment, HOST: bindHost(environment) });
    this.access.accept({ sources: [tokensOfTheApi(environment)], runs: { pids: [] } });
  }

  /** Where the API admits the gateway itself as the server's own user, it learns whose connection this is.
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

/** What only the API can judge: it goes on as it came. A wrong copy of the token that both have ends here. */
const tokensOfTheApi = ({ TASKFLOW_SERVICE_TOKEN }: Environment): BearerSource => ({
  recognises: (token) => TASKFLOW_SERVICE_TOKEN === '' || isServiceToken(token) || isJwt(token),
  findPrincipal: () => Promise.resolve(localOwner),
});
