import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Address of what the route creates, with fields of its answer and its path as `{name}`. */
    location?: string;
  }
}

/** Adds a Location header to answers that create something.
 *  @param base prefix that a proxy publishes the server under */
export function nameLocations(server: FastifyInstance, base: string): void {
  server.addHook('onRoute', (route) => {
    const { location } = route.config ?? {};
    if (location === undefined) return;
    const hooks = [route.preSerialization ?? []].flat();
    route.preSerialization = [
      ...hooks,
      (request, reply, answer, done) => {
        const values = { ...(request.params as object), ...(answer as object) };
        if (reply.statusCode === 201) void reply.header('location', base + filled(location, values));
        done(null, answer);
      },
    ];
  });
}

const filled = (template: string, values: Record<string, unknown>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
