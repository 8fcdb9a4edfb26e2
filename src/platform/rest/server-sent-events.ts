import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An event with `id` alone only marks where a client resumes. */
export interface ServerSentEvent {
  id?: number;
  event?: string;
  data?: unknown;
}

const KEEP_ALIVE_MS = 15_000;

/** Index of the last event a client saw, from its Last-Event-ID header; -1 before the first, null for a new start. */
export function lastEventId(request: FastifyRequest): number | null {
  const given = request.headers['last-event-id'];
  return typeof given === 'string' && /^(-1|\d{1,15})$/.test(given) ? Number(given) : null;
}

/** Sends events no faster than the client reads; ends with the source or the client. A source that is waiting when the
 *  client leaves finds out by itself. */
export async function sendEvents(reply: FastifyReply, source: AsyncIterable<ServerSentEvent>): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  });
  raw.write('retry: 1000\n\n');
  const keepAlive = setInterval(() => raw.write(': still here\n\n'), KEEP_ALIVE_MS);
  const isGone = new Promise<void>((resolve) => raw.once('close', resolve));
  try {
    await Promise.race([pass(source, raw), isGone]);
  } finally {
    clearInterval(keepAlive);
    raw.end();
  }
}

async function pass(source: AsyncIterable<ServerSentEvent>, raw: FastifyReply['raw']): Promise<void> {
  for await (const event of source) {
    if (raw.destroyed) break;
    if (!raw.write(toText(event))) await readAgain(raw);
  }
}

function toText({ id, event, data }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const content = event === undefined ? '' : `event: ${event}\ndata: ${JSON.stringify(data)}\n`;
  return `${idLine}${content}\n`;
}

/** Until the client has read on, or is gone. */
function readAgain(raw: FastifyReply['raw']): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
    if (raw.destroyed) done();
  });
}
