import { base } from './base.js';
import { messagesOf } from './event-stream.js';
import { pageHeaders, pageSecret } from './page-secret.js';

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
/** After a line was cut. */
const AGAIN_MS = 1_000;
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
  if (!('locks' in navigator)) return void follow(readSince);
  void navigator.locks.request(LEADER, { ifAvailable: true }, (lock) => {
    if (lock) return lead(() => void follow(readSince));
    void navigator.locks.request(LEADER, () => lead(() => void follow(null)));
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

type Told = { event: BoardEvent | 'resumed' } | { isOnline: boolean } | { isOver: true };

/** Until the tab ends. @param readSince when the oldest data of this tab was requested; null where other tabs may have
 *  missed more */
async function follow(readSince: number | null): Promise<void> {
  for (let since = readSince; ; since = null) {
    const secret = pageSecret();
    const isRefused = await read(since).catch(() => false); // the line is cut
    const isOver = isRefused && pageSecret() === secret; // else somebody has signed in since
    tell(isOver ? { isOver } : { isOnline: false });
    do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    while (isOver && pageSecret() === secret);
  }
}

/** One stream until its end. By fetch, because an EventSource sends no header of the page.
 *  @returns whether the session is over, so that somebody has to sign in first */
async function read(readSince: number | null): Promise<boolean> {
  const asked = performance.now();
  const recent_ms = readSince === null ? 0 : Math.ceil(asked - readSince);
  const { ok, status, body } = await fetch(`${base}/api/events?recent_ms=${recent_ms}`, {
    headers: { accept: 'text/event-stream', ...pageHeaders() },
  });
  if (status === 401) return true;
  if (!ok || body === null) throw new Error('no stream');
  tell({ isOnline: true });
  if (readSince === null || performance.now() - asked > SURE_MS) tell({ event: 'resumed' });
  for await (const messages of messagesOf(body)) {
    for (const { event, data } of messages) {
      if (event === 'missed') tell({ event: 'resumed' });
      if (event === 'event') tell({ event: JSON.parse(data) as BoardEvent });
    }
  }
  return false;
}

function tell(told: Told): void {
  channel.postMessage(told);
  hear(told);
}

function hear(told: Told): void {
  if ('event' in told && window.early) window.early.hasMissed = true; // what nobody has used yet is old now
  if ('isOver' in told) window.dispatchEvent(new Event('signed-out'));
  else if ('event' in told) for (const listener of [...listeners]) listener(told.event);
  else for (const listener of [...lines]) listener(told.isOnline);
}
