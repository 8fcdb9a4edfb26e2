import { setTimeout as delay } from 'node:timers/promises';
import { unreachable } from './taskyard-error.js';

/** Tries of one request, the first included. */
const TRIES = 4;
const FIRST_PAUSE_MS = 250;
/** Whoever is told to wait longer hears it at once. */
const MAX_RETRY_AFTER_SECS = 60;
const KEY = 'idempotency-key';

/** Sends a request again where the server says when (Retry-After), or where no answer came and a second request does
 *  no harm: it reads, or bears a key. @throws TaskyardError unreachable */
export function sending(fetch: typeof globalThis.fetch): (request: Request) => Promise<Response> {
  return async (request) => {
    for (let tried = 1; ; tried += 1) {
      const again = tried < TRIES ? request.clone() : null; // a body can be sent once
      const answer = await fetch(request).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        if (again === null || !isHarmless(request)) throw unreachable(request.url, error);
        return null;
      });
      const pauseMs = answer === null ? FIRST_PAUSE_MS * 2 ** (tried - 1) : retryAfterMs(answer);
      if (answer !== null && (pauseMs === null || again === null)) return answer;
      await answer?.body?.cancel();
      await delay(pauseMs!, undefined, { signal: request.signal });
      request = again!;
    }
  };
}

const isHarmless = ({ method, headers }: Request): boolean => method === 'GET' || headers.has(KEY);

function retryAfterMs({ status, headers }: Response): number | null {
  const given = headers.get('retry-after');
  const secs = Number(given);
  if (given === null || (status !== 429 && status !== 503) || !(secs >= 0 && secs <= MAX_RETRY_AFTER_SECS)) return null;
  return secs * 1_000;
}
