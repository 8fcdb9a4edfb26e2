import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { AccessControl, isLoopback } from '../platform/access/access-control.js';
import { apiCaller } from './api-caller.js';

/** Set by proxies: who really calls is then somewhere else. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** Where the gateway listens: without a token nobody beyond this machine could be told from a stranger. */
export const bindHost = ({ MCP_HOST, TASKFLOW_SERVICE_TOKEN }: Environment): string =>
  TASKFLOW_SERVICE_TOKEN || isLoopback(MCP_HOST) ? MCP_HOST : '127.0.0.1';

/** Who may call the gateway, and with which credentials it calls the API for them. */
export class GatewayAccess {
  private readonly fromHere: AccessControl;
  private readonly fromBeyond: AccessControl;

  constructor(private readonly environment: Environment) {
    const HOST = bindHost(environment);
    this.fromHere = new AccessControl({ ...environment, HOST, TASKFLOW_SERVICE_TOKEN: '' });
    this.fromBeyond = new AccessControl({ ...environment, HOST });
  }

  /** Callers on this machine are lent the gateway's own token; all others must bring it. @throws AppError as AccessControl */
  admit(request: FastifyRequest): void {
    const isHere = isOnThisMachine(request);
    void (isHere ? this.fromHere : this.fromBeyond).admit(request); // knows no run tokens, so there is nothing to wait for
    request.principal = apiCaller(isHere ? this.environment.TASKFLOW_SERVICE_TOKEN : '', request.headers);
  }

  isAllowedOrigin(origin: string): boolean {
    return this.fromHere.isAllowedOrigin(origin);
  }
}

/** A foreign Host on a loopback connection is a page that had its name resolved to this machine. */
function isOnThisMachine({ socket, headers }: FastifyRequest): boolean {
  const isLocal = isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
  const isNamed = isLoopback((headers.host ?? '').replace(/:\d+$/, ''));
  return isLocal && isNamed && !FORWARDING.some((name) => name in headers);
}
