import type { FailureCause } from '../executors/agent/failure-cause.js';
import type { Ending } from '../turns/turn-endings.js';

/** Failures after which the last message is sent again. */
export const retryCauses = ['transient', 'quota', 'infra'] as const;
export type RetryCause = (typeof retryCauses)[number];

/** How often, since somebody last sent a message or a turn went well. */
export const mostRetries: Record<RetryCause, number> = { transient: 3, quota: 5, infra: 1 };
const LONGEST_TRANSIENT_SECS = 600;
/** Of a quota that does not say when it is reset. */
const UNKNOWN_RESET_SECS = 3_600;

/** What of a turn's end passes by itself, if anything does. */
export function retryCause(ending: Ending, cause: FailureCause | undefined): RetryCause | null {
  if (ending === 'lost' || ending === 'interrupted') return 'infra';
  if (ending !== 'failed') return null;
  return cause?.class === 'transient' || cause?.class === 'quota' ? cause.class : null;
}

/** 30 s, 2 min, 8 min where the first wait is 30 s; a spent quota waits until it is reset. */
export function retryDelay(
  cause: RetryCause,
  round: number,
  { resets_at, first_secs, now }: { resets_at: number | null; first_secs: number; now: number },
): number {
  const until_reset = resets_at === null ? null : Math.max(0, resets_at - now) / 1_000;
  if (cause === 'infra') return first_secs;
  if (cause === 'quota') return Math.max(first_secs, until_reset ?? UNKNOWN_RESET_SECS);
  return Math.min(LONGEST_TRANSIENT_SECS, Math.max(first_secs * 4 ** (round - 1), until_reset ?? 0));
}
