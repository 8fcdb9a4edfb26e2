import type { FastifyInstance } from 'fastify';
import { localOwner } from '../platform/access/principal.js';
import { processMetrics } from '../platform/telemetry/metrics.js';
import type { ApiClient } from './api-client.js';

const READY_TIMEOUT_MS = 3_000;

/** Alive: the process answers. Ready: the API says that it is ready. Metrics are those of the gateway itself. */
export function registerProbes(server: FastifyInstance, api: ApiClient): void {
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
