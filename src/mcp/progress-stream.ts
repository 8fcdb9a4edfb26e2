import { setTimeout as delay } from 'node:timers/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { fieldsOf } from '../platform/fields/field-node.js';
import { isRecord } from '../platform/fields/normalise.js';
import { MAX_WAIT_MS } from '../platform/fields/paging.js';
import { sendEvents, type ServerSentEvent } from '../platform/rest/server-sent-events.js';
import type { RpcAnswer } from './protocol/dispatcher.js';
import { toolDefinitionOf, type Toolset } from './tool.js';

const EVERY_MS = 2_000;

/** A call that waits, whose client wants to hear that it does. */
interface Wait {
  progressToken: string | number;
  wait_ms: number;
}

/** Answers of calls that wait, as an event stream with progress: a client that asked for it may begin its timeout anew
 *  with each. */
export class ProgressStreams {
  /** By tool: how long it waits where `wait_ms` is left out. */
  private readonly defaults: ReadonlyMap<unknown, number>;

  constructor({ tools }: Toolset) {
    this.defaults = new Map(
      tools.map(toolDefinitionOf).flatMap(({ name, input }) => {
        const field = fieldsOf(input).get('wait_ms');
        return field === undefined ? [] : [[name, Number(field.default ?? 0)] as const];
      }),
    );
  }

  /** @returns null for every message that is answered as JSON */
  waitOf(body: unknown, { accept = '' }: IncomingHttpHeaders): Wait | null {
    if (!accept.includes('text/event-stream') || !isRecord(body) || body.method !== 'tools/call') return null;
    const { name, arguments: args, _meta } = isRecord(body.params) ? body.params : {};
    const progressToken = tokenIn(_meta);
    const usual = this.defaults.get(name);
    if (progressToken === null || usual === undefined) return null;
    const wait_ms = Math.min(Number((isRecord(args) ? args.wait_ms : undefined) ?? usual), MAX_WAIT_MS);
    return wait_ms > 0 ? { progressToken, wait_ms } : null;
  }

  /** @returns false for a refusal of the request itself, whose status a stream could not carry */
  async send(reply: FastifyReply, answering: Promise<RpcAnswer>, wait: Wait): Promise<boolean> {
    const early = await Promise.race([answering, tick()]);
    if (early !== null && early.status !== 200) return false;
    await sendEvents(reply, eventsOf(early, answering, wait));
    return true;
  }
}

function tokenIn(meta: unknown): string | number | null {
  const token = isRecord(meta) ? meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : null;
}

const tick = (): Promise<null> => delay(EVERY_MS, null, { ref: false });

async function* eventsOf(
  early: RpcAnswer | null,
  answering: Promise<RpcAnswer>,
  { progressToken, wait_ms }: Wait,
): AsyncGenerator<ServerSentEvent> {
  const total = Math.ceil(wait_ms / 1_000);
  const message = `Waiting for up to ${total} s.`;
  let answer = early;
  for (let progress = 0; answer === null; answer = await Promise.race([answering, tick()])) {
    progress += EVERY_MS / 1_000;
    const params = { progressToken, progress, total, message };
    yield { event: 'message', data: { jsonrpc: '2.0', method: 'notifications/progress', params } };
  }
  yield { event: 'message', data: JSON.parse(answer.body as string) };
}
