import { api, must } from '../api.js';
import { inTurn, isPassing, pause, TRY_AGAIN_MS } from '../attempt/log-follower.js';
import { messagesOf } from '../event-stream.js';
import type { LogEntry } from '../types.js';

/** So long a tab reads that has no connection to wait on. */
const BRIEF_MS = 1_000;

type Hear = (entries: LogEntry[]) => void;

/** Reads what one process has printed and follows it to its end. @returns what ends it */
export function followExecution(execution_process_id: string, hear: Hear): () => void {
  const ended = new AbortController();
  void read(new Printed(execution_process_id, hear), ended.signal);
  return () => ended.abort();
}

async function read(printed: Printed, signal: AbortSignal): Promise<void> {
  while (!printed.isOver && !signal.aborted) {
    try {
      await inTurn((wait_ms) => printed.readFor(wait_ms || BRIEF_MS, signal), signal);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) return;
      await pause(TRY_AGAIN_MS, signal);
    }
  }
}

class Printed {
  isOver = false;
  private after = -1;

  constructor(
    private readonly execution_process_id: string,
    private readonly hear: Hear,
  ) {}

  /** Goes on where it left off. */
  async readFor(ms: number, until: AbortSignal): Promise<void> {
    const time = AbortSignal.timeout(ms);
    try {
      for await (const messages of messagesOf(await this.open(AbortSignal.any([until, time])))) {
        const entries = messages.flatMap(({ event, data }) =>
          event === 'entry' ? (JSON.parse(data) as LogEntry) : [],
        );
        this.after = entries.at(-1)?.entry_index ?? this.after;
        if (entries.length > 0) this.hear(entries);
        this.isOver = messages.some(({ event }) => event === 'end');
      }
    } catch (error) {
      if (!time.aborted) throw error;
    }
  }

  private open(signal: AbortSignal): Promise<NonNullable<Response['body']>> {
    const query = { channel: 'raw' as const, after_entry_index: this.after };
    const params = { path: { execution_process_id: this.execution_process_id }, query };
    const headers = { accept: 'text/event-stream' };
    const path = '/api/executions/{execution_process_id}/logs/stream';
    return must(api.GET(path, { params, headers, signal, parseAs: 'stream' })) as Promise<
      NonNullable<Response['body']>
    >;
  }
}
