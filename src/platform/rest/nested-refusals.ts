import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withEnvelopes } from '../errors/nested-refusal.js';
import { nextRequest } from '../errors/next-request.js';
import { toRestEnvelope } from '../errors/people.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers of the route may hold refusals. */
    holdsRefusals?: boolean;
  }
}

/** Says refusals within an answer as it says those that are the answer. */
export function sayNestedRefusals(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (!route.config?.holdsRefusals) return;
    route.preSerialization = [
      route.preSerialization ?? [],
      (request: FastifyRequest, _: unknown, answer: unknown, done: (error: null, answer: unknown) => void) => {
        const sent = { ...(request.body as object | null), ...(request.params as object) };
        done(
          null,
          withEnvelopes(answer, (error) => toRestEnvelope(error, request, { next: nextRequest(error, sent) })),
        );
      },
    ].flat();
  });
}
