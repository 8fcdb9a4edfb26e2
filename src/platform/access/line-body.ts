import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is lines of JSON, which the route reads as a stream: it may have any size. */
    takesLines?: boolean;
  }
}

export const NDJSON = 'application/x-ndjson';

/** The body of a request to such a route. @throws AppError unsupported_media_type */
export function linesOf({ body }: FastifyRequest): Readable {
  if (!isLines(body)) throw new AppError('unsupported_media_type', { allowed: [NDJSON] });
  return body;
}

export const isLines = (body: unknown): body is Readable => typeof (body as Readable | null)?.pipe === 'function';

/** Other routes refuse lines as they refuse every type that is not JSON. */
export function readLineBodies(server: FastifyInstance): void {
  server.addContentTypeParser(NDJSON, (request, payload, done) => {
    if (request.routeOptions.config.takesLines) done(null, payload);
    else done(new AppError('unsupported_media_type'), undefined);
  });
}
