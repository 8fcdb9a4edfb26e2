import type { NormalizedEntry } from '../log-entry.js';

/** Stable kinds of failure, told in `error_kind`. */
export const errorKinds = ['login_missing', 'bad_key', 'rate_limited', 'model_error', 'denied', 'session_lost', 'crashed', 'timeout', 'protocol'] as const;
export type ErrorKind = (typeof errorKinds)[number];

const labels: Record<ErrorKind, string> = {
  login_missing: 'not logged in',
  bad_key: 'the model server refused the key',
  rate_limited: 'rate limited',
  model_error: 'the model failed',
  denied: 'everything was denied',
  session_lost: 'the session of the agent is lost',
  crashed: 'the agent crashed',
  timeout: 'timed out',
  protocol: 'the agent broke its protocol',
};
const MAX_SUMMARY_CHARS = 300;

const noLogin = /not logged in|log ?in required|please (run|use) [`'"]?[/\w -]*login|authentication required|no api key|missing api key|api key (is )?(missing|not (set|found))|not authenticated|invalid auth method/i;
const refusedKey = /(invalid|incorrect|bad)[ -](x-)?api[ -]key|unauthori[sz]ed|authentication (failed|error)|permission_error/i;
const tooMuch = /rate.?limit|too many requests|quota|usage limit|overloaded/i;
const noSession = /no conversation found|session not found|invalid session identifier|no rollout found|no previous sessions/i;

/** What kind of failure a message of an agent tells. */
export function failureKind(text: string, status: number | null = null, otherwise: ErrorKind = 'model_error'): ErrorKind {
  const code = status ?? statusIn(text);
  if (noSession.test(text)) return 'session_lost';
  if (noLogin.test(text)) return 'login_missing';
  if (code === 429 || code === 529 || tooMuch.test(text)) return 'rate_limited';
  if (code === 401 || code === 403 || refusedKey.test(text)) return 'bad_key';
  return code !== null && code >= 400 ? 'model_error' : otherwise;
}

/** A rate limit is the one failure that waiting mends. */
export function errorEntry(kind: ErrorKind, content: string): NormalizedEntry {
  return { type: 'error_message', content, error_kind: kind, metadata: { retryable: kind === 'rate_limited' } };
}

/** One line for people. */
export function failureSummary(kind: ErrorKind, message: string): string {
  const line = message.trim().replace(/\s+/g, ' ');
  const summary = line === '' ? labels[kind] : `${labels[kind]}: ${line}`;
  return summary.length <= MAX_SUMMARY_CHARS ? summary : `${summary.slice(0, MAX_SUMMARY_CHARS - 1).toWellFormed()}…`;
}

function statusIn(text: string): number | null {
  const found = /(?:^|\b(?:http|status|code|error)\W{0,12})([45]\d\d)\b/i.exec(text);
  return found ? Number(found[1]) : null;
}
