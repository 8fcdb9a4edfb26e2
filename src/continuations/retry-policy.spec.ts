import { describe, expect, it } from '@jest/globals';
import { retryCause, retryDelay } from './retry-policy.js';

const now = Date.parse('2026-11-28T04:30:00Z');
const at = (resets_at: number | null) => ({ resets_at, first_secs: 30, now });

describe('what is retried', () => {
  it.each([
    ['lost', undefined, 'infra'],
    ['interrupted', undefined, 'infra'],
    ['failed', { class: 'transient', resets_at: null }, 'transient'],
    ['failed', { class: 'quota', resets_at: null }, 'quota'],
    ['failed', { class: 'final', resets_at: null }, null],
    ['failed', { class: 'unknown', resets_at: null }, null],
    ['failed', undefined, null],
    ['killed', { class: 'transient', resets_at: null }, null],
    ['withdrawn', undefined, null],
    ['refused', undefined, null],
    ['completed', undefined, null],
  ] as const)('%s, %j: %s', (ending, cause, expected) => expect(retryCause(ending, cause)).toBe(expected));

  it('waits longer each time, and 10 min at most', () => {
    expect([1, 2, 3, 4].map((round) => retryDelay('transient', round, at(null)))).toEqual([30, 120, 480, 600]);
    expect(retryDelay('transient', 1, at(now + 90_000))).toBe(90);
  });

  it('waits for the reset of a quota, or an hour', () => {
    expect(retryDelay('quota', 1, at(now + 7_200_000))).toBe(7_200);
    expect(retryDelay('quota', 5, at(null))).toBe(3_600);
    expect(retryDelay('quota', 1, at(now - 5_000))).toBe(30);
    expect(retryDelay('infra', 1, at(null))).toBe(30);
  });
});
