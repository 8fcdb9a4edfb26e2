import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface ServerSentEvent { id?: number; event: string; data: unknown }

const KEEP_ALIVE_MS = 15_000;

/** Index of the last event a client saw, from its Last-Event-ID header; null where it starts afresh. */
export function lastEventId(request: FastifyRequest): number | null {
  const given = request.headers['last-event-id'];
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : null;
}

/** Sends events as they come, no faster than the client reads; ends with the source or the client. */
export async function sendEvents(reply: FastifyReply, source: AsyncIterable<ServerSentEvent>): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', connection: 'keep-alive', 'x-accel-buffering': 'no' });
  raw.write('retry: 1000\n\n');
  const keepAlive = setInterval(() => raw.write(': still here\n\n'), KEEP_ALIVE_MS);
  try {
    for await (const { id, event, data } of source) {
      if (raw.destroyed) break;
      const isFlushed = raw.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!isFlushed) await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
    }
  } finally {
    clearInterval(keepAlive);
    raw.end();
  }
}
