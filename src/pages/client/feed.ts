import { base } from './base.js';

/** One change of the board, as the event feed tells it. */
export interface BoardEvent {
  number: number;
  project_id: string;
  type: string;
  subject: string;
  data: Record<string, unknown>;
}

type Listener = (event: BoardEvent | 'resumed') => void;

const LEADER = 'taskyard-feed';
const listeners = new Set<Listener>();
const lines = new Set<(isOnline: boolean) => void>();
const channel = new BroadcastChannel(LEADER);

/** A browser opens six connections to one server over HTTP/1.1: its tabs share one stream, which the leader holds. */
export function openFeed(): void {
  channel.onmessage = ({ data }: MessageEvent<Told>) => hear(data);
  if (!('locks' in navigator)) return follow();
  void navigator.locks.request(LEADER, () => {
    follow();
    tell({ event: 'resumed' }); // what the leader before may not have passed on
    return new Promise(() => undefined); // for as long as the tab lives
  });
}

/** @returns what stops listening */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hears whether the stream stands. @returns what stops listening */
export function onLine(listener: (isOnline: boolean) => void): () => void {
  lines.add(listener);
  return () => lines.delete(listener);
}

type Told = { event: BoardEvent | 'resumed' } | { isOnline: boolean };

function follow(): void {
  const stream = new EventSource(`${base}/api/events`);
  let wasCut = false;
  stream.addEventListener('event', ({ data }: MessageEvent<string>) => tell({ event: JSON.parse(data) as BoardEvent }));
  stream.onopen = () => {
    tell({ isOnline: true });
    if (wasCut) tell({ event: 'resumed' });
    wasCut = false;
  };
  stream.onerror = () => {
    wasCut = true;
    tell({ isOnline: false });
    // the browser gives up after an answer that is no stream, such as a 503 of a proxy
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 3_000);
  };
}

function tell(told: Told): void {
  channel.postMessage(told);
  hear(told);
}

function hear(told: Told): void {
  if ('event' in told) for (const listener of [...listeners]) listener(told.event);
  else for (const listener of [...lines]) listener(told.isOnline);
}
