import { base } from './base.js';

/** One event of the board's feed. */
export interface BoardEvent {
  number: number;
  project_id: string;
  type: string;
  subject: string;
  data: Record<string, unknown>;
}

/** Whether an event concerns an attempt or one of its approvals. */
export const concernsAttempt = (attempt_id: string) => (event: BoardEvent) =>
  event.subject === attempt_id || event.data.attempt_id === attempt_id;

type Listener = (event: BoardEvent | 'resumed') => void;

const LEADER = 'taskyard-feed';
/** So long a request may take to reach the server, which allows for some seconds more than it is asked for. */
const SURE_MS = 2_000;
const listeners = new Set<Listener>();
const lines = new Set<(isOnline: boolean) => void>();
const channel = new BroadcastChannel(LEADER);

/** The tabs of a browser share one stream, held by a leader, because HTTP/1.1 allows six connections to one server.
 *  Whoever reads before it listens misses nothing: the stream begins with what is recent, and early.ts hears the leader
 *  of another tab. */
export function openFeed(): void {
  const readSince = window.early ? 0 : performance.now();
  channel.onmessage = ({ data }: MessageEvent<Told>) => hear(data);
  window.early?.channel.close();
  if (window.early?.hasMissed) hear({ event: 'resumed' });
  if (!('locks' in navigator)) return follow(readSince);
  void navigator.locks.request(LEADER, { ifAvailable: true }, (lock) => {
    if (lock) return lead(() => follow(readSince));
    void navigator.locks.request(LEADER, () => lead(() => follow(null)));
    return undefined;
  });
}

/** Held as long as the tab lives. */
function lead(begin: () => void): Promise<never> {
  begin();
  return new Promise(() => undefined);
}

/** @returns what stops listening */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notified whether the stream is connected. @returns what stops listening */
export function onLine(listener: (isOnline: boolean) => void): () => void {
  lines.add(listener);
  return () => lines.delete(listener);
}

type Told = { event: BoardEvent | 'resumed' } | { isOnline: boolean };

/** @param readSince when the oldest data of this tab was requested; null where other tabs may have missed more */
function follow(readSince: number | null): void {
  const asked = performance.now();
  const recent_ms = readSince === null ? 0 : Math.ceil(asked - readSince);
  const stream = new EventSource(`${base}/api/events?recent_ms=${recent_ms}`);
  let wasCut = readSince === null;
  stream.addEventListener('event', ({ data }: MessageEvent<string>) => tell({ event: JSON.parse(data) as BoardEvent }));
  stream.addEventListener('missed', () => tell({ event: 'resumed' }));
  stream.onopen = () => {
    tell({ isOnline: true });
    if (wasCut || performance.now() - asked > SURE_MS) tell({ event: 'resumed' });
    wasCut = false;
  };
  stream.onerror = () => {
    wasCut = true;
    tell({ isOnline: false });
    // the browser gives up after an answer that is not a stream, such as a proxy's 503
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => follow(null), 3_000);
  };
}

function tell(told: Told): void {
  channel.postMessage(told);
  hear(told);
}

function hear(told: Told): void {
  if ('event' in told && window.early) window.early.hasMissed = true; // what nobody has used yet is old now
  if ('event' in told) for (const listener of [...listeners]) listener(told.event);
  else for (const listener of [...lines]) listener(told.isOnline);
}
