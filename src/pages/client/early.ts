import { keepPageSecret, pageHeaders } from './page-secret.js';

/** Requests the data of the first view while its script is still loading. What other tabs hear meanwhile may be missing
 *  in it, and is then read again. */
const base = document.documentElement.dataset.base ?? '';
const at = /\/ui\/p\/([\w-]+)(?:\/a\/([\w-]+)(?:\/(log|changes|checks|delivery))?)?$/.exec(location.pathname);
const [, project, attempt, part] = at ?? [];

function firstReads(): string[] {
  if (attempt) {
    const address = `/api/attempts/${attempt}`;
    return part === 'changes' ? [address, `${address}/changes?detail=true&force=true`] : [address];
  }
  if (!project || location.search) return [];
  return [`/api/projects/${project}/board`, `/api/projects/${project}`];
}

export interface Early {
  answers: Map<string, Promise<Response>>;
  /** Closed by whoever listens from then on. */
  channel: BroadcastChannel;
  hasMissed: boolean;
}

declare global {
  interface Window {
    early?: Early;
  }
}

const channel = new BroadcastChannel('taskyard-feed');
channel.onmessage = ({ data }: MessageEvent<object>) => {
  if (window.early && 'event' in data) window.early.hasMissed = true;
};

// back from the identity provider, with this half of the new session
const [, secret] = /^#page=([\w-]+)$/.exec(location.hash) ?? [];
if (secret !== undefined) {
  keepPageSecret(secret);
  history.replaceState(null, '', location.pathname + location.search);
}

// whoever signs in first is not known yet
const reads = location.hash.startsWith('#sign-in=') ? [] : ['/api/me', ...firstReads()];
const answers = new Map(
  reads.map((path) => {
    const address = `${location.origin}${base}${path}`;
    const answer = fetch(address, { headers: { accept: 'application/json', ...pageHeaders() } });
    answer.catch(() => undefined); // reported to whoever uses it
    return [address, answer];
  }),
);
window.early = { answers, channel, hasMissed: false };
