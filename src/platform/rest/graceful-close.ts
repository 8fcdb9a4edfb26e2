import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 25;

/** On close, requests in progress get a moment to finish; then every connection is cut. */
export function letRequestsEnd(instance: FastifyInstance): void {
  instance.addHook('preClose', async () => {
    const giveUpAt = performance.now() + WITHIN_MS;
    while ((await openConnections(instance)) > 0 && performance.now() < giveUpAt) await delay(LOOK_EVERY_MS);
  });
}

/** Connections with a request on them; the others are closed. */
function openConnections({ server }: FastifyInstance): Promise<number> {
  server.closeIdleConnections();
  return new Promise((resolve) => {
    server.getConnections((_, count) => resolve(count ?? 0));
  });
}
