import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isAway, TaskyardError } from './taskyard-error.js';

/** How soon a server that went away is asked again. */
export const AGAIN_MS = 1_000;
/** The server says something every 15 s: a line that is silent for longer is dead, whatever the network believes. */
const SILENCE_MS = 45_000;

/** Opens a stream of server-sent events. @param lastEventId where to go on, null at first */
export type OpenStream = (lastEventId: string | null, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** Events of a stream, as many at once as came together, for each wait costs more than an event. It is opened again
 *  behind the last one whenever its line breaks: until the caller leaves, aborts, or is refused.
 *  @throws TaskyardError of a refusal; what the signal was aborted with */
export async function* resumed(open: OpenStream, signal?: AbortSignal): AsyncGenerator<EventSourceMessage[]> {
  for (let last: string | null = null; ;) {
    const line = new Line(signal);
    try {
      for await (const text of line.read(await open(last, line.signal))) {
        // the parser passes over an id without data, by which the server says where the stream begins
        last ??= /^id: (-?\d+)$/m.exec(text)?.[1] ?? null;
        const events = line.eventsIn(text);
        last = lastIdOf(events) ?? last;
        if (events.length > 0) yield events;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof TaskyardError && !isAway(error)) throw error;
    } finally {
      line.close();
    }
    await delay(AGAIN_MS, undefined, { signal });
  }
}

const lastIdOf = (events: readonly EventSourceMessage[]) => events.findLast(({ id }) => id !== undefined)?.id;

/** One connection, given up when it is silent. */
class Line {
  private readonly own = new AbortController();
  private readonly found: EventSourceMessage[] = [];
  private readonly parser = createParser({ onEvent: (event) => this.found.push(event) });
  private readonly silence = setTimeout(() => this.own.abort(), SILENCE_MS);
  readonly signal: AbortSignal;

  constructor(given?: AbortSignal) {
    this.signal = given ? AbortSignal.any([given, this.own.signal]) : this.own.signal;
  }

  async *read(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      this.silence.refresh();
      yield decoder.decode(bytes, { stream: true });
    }
  }

  eventsIn(text: string): EventSourceMessage[] {
    this.parser.feed(text);
    return this.found.splice(0);
  }

  close(): void {
    clearTimeout(this.silence);
    this.own.abort();
  }
}
