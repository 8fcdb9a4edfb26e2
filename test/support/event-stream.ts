import { type IncomingMessage, request } from 'node:http';
import { asOwner } from './local-tokens.js';
import type { Json } from './mcp-client.js';

export interface StreamEvent {
  id?: number;
  event?: string;
  data?: Json;
}

/** A reader of server-sent events that can rest, leave, and come back. */
export class EventStream {
  private buffer = '';
  private readonly arrived: StreamEvent[] = [];
  private wake: () => void = () => undefined;
  private hasEnded = false;

  private constructor(
    readonly answer: IncomingMessage,
    private readonly leave: () => void,
  ) {
    answer
      .setEncoding('utf8')
      .on('data', (text: string) => this.take(text))
      .on('close', () => {
        this.hasEnded = true;
        this.wake();
      })
      .on('error', () => undefined);
  }

  static open(url: string, lastEventId?: number | string, more: Record<string, string> = {}): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const headers = lastEventId === undefined ? more : { ...more, 'last-event-id': String(lastEventId) };
      const sent = request(url, { headers: asOwner(url, headers) }, (answer) =>
        resolve(new EventStream(answer, () => sent.destroy())),
      );
      sent.on('error', reject).end();
    });
  }

  /** The next event; null once the stream has ended. */
  async next(): Promise<StreamEvent | null> {
    while (this.arrived.length === 0 && !this.hasEnded)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.arrived.shift() ?? null;
  }

  /** The next `count` entries; fewer where the stream ends before. */
  async entries(count = Infinity): Promise<Json[]> {
    const entries: Json[] = [];
    while (entries.length < count) {
      const event = await this.next();
      if (event === null || event.event === 'end') break;
      if (event.event === 'entry') entries.push({ ...event.data, id: event.id });
    }
    return entries;
  }

  close(): void {
    this.leave();
  }

  private take(text: string): void {
    const blocks = (this.buffer + text).split('\n\n');
    this.buffer = blocks.pop()!;
    this.arrived.push(...blocks.map(toEvent).filter((event) => Object.keys(event).length > 0));
    this.wake();
  }
}

function toEvent(block: string): StreamEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    ...(fields.id ? { id: Number(fields.id) } : {}),
    ...(fields.event ? { event: fields.event } : {}),
    ...(fields.data ? { data: JSON.parse(fields.data) as Json } : {}),
  };
}
