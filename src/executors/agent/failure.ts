import type { NormalizedEntry } from '../log-entry.js';

/** Stable kinds of failure, reported in `error_kind`. */
export const errorKinds = [
  'login_missing',
  'bad_key',
  'rate_limited',
  'model_error',
  'denied',
  'session_lost',
  'crashed',
  'timeout',
  'protocol',
] as const;
export type ErrorKind = (typeof errorKinds)[number];

export interface Failure {
  kind: ErrorKind;
  message: string;
}

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
const hints: Record<ErrorKind, string> = {
  login_missing: 'Log the agent in where it runs, or pass its key on with AGENT_ENV; then send a follow-up.',
  bad_key: 'Renew the key of the agent where it runs; then send a follow-up.',
  rate_limited: 'Wait, then send a follow-up; it continues the conversation.',
  model_error: 'Read the log; a follow-up continues the conversation.',
  denied: 'Choose a variant that allows the agent more, or answer its questions, and send a follow-up.',
  session_lost: 'Start a new session; it sees the work, not the conversation.',
  crashed: 'Read the end of the log; a follow-up continues the conversation.',
  timeout: 'Send a follow-up to continue; what needs longer takes a larger timeout_secs at its start.',
  protocol: 'Check the version of the agent; a follow-up tries again.',
};
const OTHER_HINT = 'Read the end of the log; a follow-up continues with the work as it is.';
const MAX_SUMMARY_CHARS = 300;

export const anyOf = (...words: RegExp[]): RegExp => new RegExp(words.map(({ source }) => source).join('|'), 'i');

/** The first match wins: messages of a missing login may have the status of a bad key. */
const SIGNS: readonly { kind: ErrorKind; statuses: readonly number[]; words: RegExp }[] = [
  {
    kind: 'session_lost',
    statuses: [],
    words: /no conversation found|session not found|invalid session identifier|no rollout found|no previous sessions/i,
  },
  {
    kind: 'login_missing',
    statuses: [],
    words: anyOf(
      /not logged in|log ?in required|please (run|use) [`'"]?[/\w -]*login|authentication required|not authenticated/,
      /no api key|missing api key|api key (is )?(missing|not (set|found))|invalid auth method/,
    ),
  },
  { kind: 'rate_limited', statuses: [429, 529], words: /rate.?limit|too many requests|quota|usage limit|overloaded/i },
  {
    kind: 'bad_key',
    statuses: [401, 403],
    words: /(invalid|incorrect|bad)[ -](x-)?api[ -]key|unauthori[sz]ed|authentication (failed|error)|permission_error/i,
  },
];

/** The kind of failure that a message of an agent is about. */
export function failureKind(
  text: string,
  status: number | null = null,
  otherwise: ErrorKind = 'model_error',
): ErrorKind {
  const code = status ?? statusIn(text);
  const known = SIGNS.find(({ statuses, words }) => (code !== null && statuses.includes(code)) || words.test(text));
  return known?.kind ?? (code === null ? otherwise : 'model_error');
}

/** A rate limit is the one failure that waiting fixes. */
export function errorEntry(kind: ErrorKind, content: string): NormalizedEntry {
  return { type: 'error_message', content, error_kind: kind, metadata: { retryable: kind === 'rate_limited' } };
}

/** One line for people. */
export function failureSummary(kind: ErrorKind, message: string): string {
  const line = message.trim().replace(/\s+/g, ' ');
  const summary = line === '' ? labels[kind] : `${labels[kind]}: ${line}`;
  return summary.length <= MAX_SUMMARY_CHARS ? summary : `${summary.slice(0, MAX_SUMMARY_CHARS - 1).toWellFormed()}…`;
}

/** What to do about the end of an execution; null where nothing is. */
export function endHint({
  status,
  failure_summary,
}: {
  status: string;
  failure_summary: string | null;
}): string | null {
  if (status === 'killed') return 'It was stopped; a follow-up continues with the work as it is.';
  return status === 'failed' ? failureHint(failure_summary ?? '') : null;
}

function failureHint(summary: string): string {
  const kind = errorKinds.find((one) => summary.startsWith(labels[one]));
  return kind === undefined ? OTHER_HINT : hints[kind];
}

function statusIn(text: string): number | null {
  const found = /(?:^|\b(?:http|status|code|error)\W{0,12})([45]\d\d)\b/i.exec(text);
  return found ? Number(found[1]) : null;
}
