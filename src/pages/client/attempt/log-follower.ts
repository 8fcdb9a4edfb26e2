import { api, ApiError, must } from '../api.js';
import { onEvent } from '../feed.js';
import type { LogEntry } from '../types.js';

const PAGE = 1_000;
/** Pages requested before they are used. */
const AHEAD = 2;
const WAIT_MS = 25_000;
/** Connections that tabs may hold waiting for logs, of the six that a browser opens to one server. */
const WAITING_TABS = 3;
const LOOK_EVERY_MS = 1_000;
export const TRY_AGAIN_MS = 2_000;

interface Wanted {
  attempt_id: string;
  channel: 'raw' | 'normalized';
  /** Maximum entries shown; older ones are in the download. */
  newest: number;
}

/** Reads a log from its first (or oldest wanted) entry and follows it without gaps. Between runs it waits for the
 *  attempt's next event. @returns what ends it */
export function followLog(wanted: Wanted, hear: (entries: LogEntry[], isLive: boolean) => void): () => void {
  const ended = new AbortController();
  void read(wanted, hear, ended.signal);
  return () => ended.abort();
}

async function read(wanted: Wanted, hear: (entries: LogEntry[], isLive: boolean) => void, signal: AbortSignal) {
  const stored = new StoredPages(wanted, signal);
  let after: number | null = null;
  while (!signal.aborted) {
    try {
      after ??= await stored.begin();
      const page: Page = await (stored.take(after) ?? nextPage(wanted, after, signal));
      const { entries, has_more, state } = page;
      if (signal.aborted) return;
      hear(entries, state === 'running');
      after = entries.at(-1)?.entry_index ?? after;
      if (!has_more && state !== 'running') await nextEvent(wanted.attempt_id, signal);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) return;
      await pause(TRY_AGAIN_MS, signal);
    }
  }
}

/** Whether the server is unreachable or overloaded, so that trying again helps. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status < 400 || error.status >= 500);

/** Prefetches stored pages: the server reads some while the browser renders another. */
class StoredPages {
  private last = -1;
  /** Prefetched pages by the index before their first entry. */
  private readonly ahead = new Map<number, Promise<Page>>();
  /** Where the page begins that follows a full one. */
  private next: number | null = null;

  constructor(
    private readonly wanted: Wanted,
    private readonly signal: AbortSignal,
  ) {}

  /** Index before the first entry to read. */
  async begin(): Promise<number> {
    const { attempt_id, channel, newest } = this.wanted;
    const { page } = await ask(attempt_id, { channel, limit: 1 }, this.signal);
    this.last = page.entries.at(-1)?.entry_index ?? -1;
    return Math.max(-1, this.last - newest);
  }

  /** Null if nothing was stored after it. */
  take(after: number): Promise<Page> | null {
    if (after >= this.last) return null;
    const page = this.ahead.get(after) ?? this.read(after);
    this.ahead.delete(after);
    if (after === (this.next ?? after)) this.readAhead(after);
    else this.ahead.clear(); // pages are cut short by their size
    this.next = after + PAGE;
    return page;
  }

  private readAhead(after: number): void {
    for (let next = after + PAGE; next < this.last && next <= after + AHEAD * PAGE; next += PAGE) {
      const page = this.ahead.get(next) ?? this.read(next);
      page.catch(() => this.ahead.delete(next)); // it is asked for again when it is used
      this.ahead.set(next, page);
    }
  }

  private read(after: number): Promise<Page> {
    return pageAfter(this.wanted, after, this.signal);
  }
}

type Page = Awaited<ReturnType<typeof pageAfter>>;

async function pageAfter({ attempt_id, channel }: Wanted, after_entry_index: number, signal: AbortSignal, wait_ms = 0) {
  const { page, state } = await ask(attempt_id, { channel, after_entry_index, limit: PAGE, wait_ms }, signal);
  return { ...page, state };
}

/** @returns a page, which may be empty if nothing runs */
async function nextPage(wanted: Wanted, after: number, signal: AbortSignal): Promise<Page> {
  const now = await pageAfter(wanted, after, signal);
  if (now.entries.length > 0 || now.state !== 'running') return now;
  return inTurn((wait_ms) => pageAfter(wanted, after, signal, wait_ms), signal);
}

const ask = (attempt_id: string, query: object, signal: AbortSignal) =>
  must(api.GET('/api/attempts/{attempt_id}/logs', { params: { path: { attempt_id }, query }, signal }));

/** Waits at the server if a connection for that is free, else here. */
export async function inTurn<T>(asking: (wait_ms: number) => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let place = 0; 'locks' in navigator && place < WAITING_TABS; place += 1) {
    const options = { ifAvailable: true };
    const answer = await navigator.locks.request(`taskyard-log-${place}`, options, async (lock) =>
      lock ? { value: await asking(WAIT_MS) } : null,
    );
    if (answer) return answer.value;
  }
  await pause(LOOK_EVERY_MS, signal);
  return asking(0);
}

/** Resolves when something happened to the attempt, or may have. */
function nextEvent(attempt_id: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = onEvent((event) => {
      if (event === 'resumed' || event.subject === attempt_id || event.data.attempt_id === attempt_id) done();
    });
    const done = () => {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
  });
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
