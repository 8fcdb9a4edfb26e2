import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resetTime } from './reset-time.js';

const now = Date.parse('2026-11-28T04:30:00Z');
const iso = (text: string): string | null => {
  const time = resetTime(text, now);
  return time === null ? null : new Date(time).toISOString().replace(/:00\.000Z$/, 'Z');
};

describe('the time at which a limit is reset', () => {
  it.each([
    ['Claude AI usage limit reached|1795856400', '2026-11-28T09:00Z'],
    ['{"resetsAt":1795856400000,"id":"4294967296"}', '2026-11-28T09:00Z'],
    ['usage limit, resets at 2026-11-28T09:00:00Z', '2026-11-28T09:00Z'],
    ['quota resets 2026-11-28 09:00 UTC', '2026-11-28T09:00Z'],
    ['resets at 2026-11-28T09:00:00+02:00.', '2026-11-28T07:00Z'],
    ["You've hit your limit · resets 4am (Europe/Berlin)", '2026-11-29T03:00Z'],
    ["You've hit your session limit · resets 3:45pm (America/New_York)", '2026-11-28T20:45Z'],
    ['Your limit resets at 4 a.m. (Asia/Kolkata)', '2026-11-28T22:30Z'],
    ['resets at 4 p.m. (Asia/Kolkata)', '2026-11-28T10:30Z'],
    ['Your limit will reset at 12am (UTC).', '2026-11-29T00:00Z'],
    ['resets 12pm (UTC)', '2026-11-28T12:00Z'],
    ['resets Nov 30, 4am (Europe/Berlin)', '2026-11-30T03:00Z'],
    ['or try again at Dec 1st, 2026 3:45 PM UTC', '2026-12-01T15:45Z'],
    ['resets Monday at 9:00 (UTC)', '2026-11-30T09:00Z'],
    ['try again at 23:15 UTC', '2026-11-28T23:15Z'],
    ['try again in 3 hours 20 minutes.', '2026-11-28T07:50Z'],
    ['try again in 3 h 20 min', '2026-11-28T07:50Z'],
    ['try again in 2 days 4 hours and 6 minutes', '2026-11-30T08:36Z'],
    ['Please retry in 90s.', '2026-11-28T04:31:30.000Z'],
    ['"retry-after": "120"', '2026-11-28T04:32Z'],
    ['Retry-After: 60', '2026-11-28T04:31Z'],
    ['rate limit reached, please try again after 500ms', '2026-11-28T04:30:00.500Z'],
  ])('%s', (text, expected) => expect(iso(text)).toBe(expected));

  it.each([
    'rate limited',
    'usage limit reached',
    'limit reached after 5 attempts',
    'request 1234567890123 was refused with 429',
    'the limit of 3 runs, resets manually',
    'resets at 99:99',
    'try again in 400 days',
  ])('is not in: %s', (text) => expect(iso(text)).toBeNull());

  it('is found in a zone on both sides of a change of its clocks', () => {
    const before = Date.parse('2027-03-27T23:00:00Z');
    expect(resetTime('resets 4am (Europe/Berlin)', before)).toBe(Date.parse('2027-03-28T02:00:00Z'));
    expect(resetTime('resets 4am (Europe/Berlin)', Date.parse('2027-10-30T23:00:00Z'))).toBe(
      Date.parse('2027-10-31T03:00:00Z'),
    );
  });

  it('never throws, and never finds one that is months away', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const time = resetTime(`resets at ${text}`, now);
        expect(time === null || time - now < 33 * 86_400_000).toBe(true);
      }),
    );
  });
});
