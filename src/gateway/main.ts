import { constants } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { type Environment, EnvironmentError, loadEnvironment, MIN_TOKEN } from '../config/environment.js';
import { toolsets } from '../toolsets/toolsets.js';
import { isLoopback } from '../platform/access/access-control.js';
import { createGateway } from './gateway.js';
import { bindHost } from './gateway-access.js';
import { logLines } from '../platform/telemetry/log-lines.js';

try {
  await startGateway(loadEnvironment());
} catch (error) {
  const isRefusal =
    error instanceof EnvironmentError ||
    ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
  console.error(isRefusal ? `taskyard: ${(error as Error).message}` : error);
  process.exit(1);
}

async function startGateway(environment: Environment): Promise<void> {
  requireLongToken(environment);
  requirePublicUrl(environment);
  logLines({ ...environment, ROLE: 'gateway' }, 2);
  const gateway = await createGateway(environment);
  endOnSignal(gateway);
  const host = bindHost(environment);
  if (host !== environment.MCP_HOST)
    console.error(
      `taskyard: MCP_HOST=${environment.MCP_HOST} is open to the network and TASKFLOW_SERVICE_TOKEN is not set: ` +
        `listening on ${host} only`,
    );
  const url = await gateway.listen({ host, port: environment.MCP_PORT });
  console.log(greeting(url, environment));
}

/** @throws EnvironmentError */
function requireLongToken({ MCP_HOST, TASKFLOW_SERVICE_TOKEN }: Environment): void {
  if (isLoopback(MCP_HOST) || !TASKFLOW_SERVICE_TOKEN || TASKFLOW_SERVICE_TOKEN.length >= MIN_TOKEN) return;
  throw new EnvironmentError(
    `MCP_HOST=${MCP_HOST} is open to the network: TASKFLOW_SERVICE_TOKEN has fewer than ${MIN_TOKEN} characters: ` +
      'set a longer one, or listen on 127.0.0.1',
  );
}

/** @throws EnvironmentError */
function requirePublicUrl({ OIDC_ISSUER, PUBLIC_URL }: Environment): void {
  if (OIDC_ISSUER && !PUBLIC_URL)
    throw new EnvironmentError('OIDC_ISSUER requires PUBLIC_URL: the origin at which clients reach this gateway.');
}

function greeting(url: string, { TASKFLOW_API_URL }: Environment): string {
  const endpoints = toolsets.map(({ title, path }) => `  ${url}${path}  ${title}`);
  return ['', `The Taskyard gateway is ready; it calls ${TASKFLOW_API_URL}.`, ...endpoints, ''].join('\n');
}

/** A first signal shuts the gateway down gracefully, a second one at once. */
function endOnSignal(gateway: FastifyInstance): void {
  let isEnding = false;
  const end = async (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(1);
    isEnding = true;
    await gateway.close();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(signal));
}
