import { anyOf, type ErrorKind } from './failure.js';
import { resetTime } from './reset-time.js';

/** transient: passes soon by itself. quota: passes when a limit is reset. final: only a person helps. unknown: the
 *  agent or its conversation may be broken. */
export type FailureClass = 'transient' | 'quota' | 'final' | 'unknown';

export interface FailureCause {
  class: FailureClass;
  /** Epoch in milliseconds; null where nothing tells it. */
  resets_at: number | null;
}

/** A limit that is reset sooner is worth no other patience than an overload. */
const SOON_MS = 600_000;

const FOR_A_PERSON: readonly (ErrorKind | null)[] = ['login_missing', 'bad_key', 'denied', 'timeout', null];
const BILLING = anyOf(
  /credit balance|billing|payment|insufficient[_ ](quota|funds|credits?)|out of credits|spend(ing)? limit|402\b/,
);
const REFUSAL = /stopped: refusal|usage polic|content[_ ](policy|filter)|safety (policy|reasons)|policy violation/i;
const QUOTA = anyOf(
  /(usage|session|weekly|daily|monthly|hour(ly)?|plan|subscription|request) limit/,
  /hit your limit|limit (was )?reached|quota|usageLimit/,
);
const TRANSIENT = anyOf(
  /overload|too many requests|rate.?limit|service unavailable|bad gateway|gateway time-?out/,
  /(internal )?server error|internal error/,
);
const NETWORK = anyOf(
  /\b(ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND)\b|socket hang up|fetch failed/,
  /(connection|network) (error|reset|closed|refused|lost|timed out)|stream (disconnected|closed)/,
  /disconnected before completion|timed? ?out waiting|request timed out/,
);
const SERVER_STATUS = /(?:^|\b(?:http|status|code|error)\W{0,12})(408|429|5\d\d)\b/i;

/** Why a turn failed, from the words of the agent. The first that fits: who is told to pay has no use for a retry.
 *  @param kind null where the agent was interrupted */
export function failureCause(kind: ErrorKind | null, text: string, now = Date.now()): FailureCause {
  if (FOR_A_PERSON.includes(kind) || BILLING.test(text) || REFUSAL.test(text))
    return { class: 'final', resets_at: null };
  const resets_at = resetTime(text, now);
  const isSoon = resets_at !== null && resets_at - now <= SOON_MS;
  if (QUOTA.test(text) && !isSoon) return { class: 'quota', resets_at };
  const passes = [QUOTA, TRANSIENT, NETWORK, SERVER_STATUS].some((sign) => sign.test(text));
  if (passes || kind === 'rate_limited') return { class: 'transient', resets_at };
  return { class: 'unknown', resets_at: null };
}
