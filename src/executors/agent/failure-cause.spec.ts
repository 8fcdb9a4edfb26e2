import { describe, expect, it } from '@jest/globals';
import { failureKind } from './failure.js';
import { type FailureClass, failureCause } from './failure-cause.js';

const now = Date.parse('2026-11-28T04:30:00Z');
const classOf = (text: string): FailureClass => failureCause(failureKind(text), text, now).class;

describe('why a turn failed', () => {
  it.each<[FailureClass, string]>([
    ['transient', 'API Error: Request rejected (429) · rate limited (mock)'],
    ['transient', 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
    ['transient', 'API Error: 500 internal error. This is a server-side issue, usually temporary'],
    ['transient', 'API Error: Connection error. (ECONNRESET)'],
    ['transient', 'stream disconnected before completion: error sending request'],
    ['transient', 'Quota exceeded for quota metric of requests per minute. Please retry in 34.07s.'],
    ['transient', 'TypeError: fetch failed'],
    ['quota', 'Claude AI usage limit reached|1795856400'],
    ['quota', "You've hit your limit · resets 4am (Europe/Berlin)"],
    ['quota', "You've hit your usage limit. Upgrade to Plus, or try again in 3 hours 20 minutes."],
    ['quota', '5-hour limit reached ∙ resets 3pm'],
    ['quota', 'RESOURCE_EXHAUSTED: You exceeded your daily quota'],
    ['final', 'Your credit balance is too low to access the API. Please go to Plans & Billing'],
    ['final', '429 insufficient_quota: You exceeded your current quota, please check your plan and billing details'],
    ['final', 'API Error: 401 {"error":{"message":"Invalid API key"}}'],
    ['final', 'Not logged in · Please run /login'],
    ['final', 'stopped: refusal'],
    ['final', 'API Error: unable to respond to this request, which appears to violate our Usage Policy'],
    ['unknown', 'No conversation found with session ID 1234'],
    ['unknown', 'API Error: 400 messages: text content blocks must be non-empty'],
    ['unknown', 'Segmentation fault'],
    ['unknown', 'stopped: max_turn_requests'],
  ])('%s: %s', (expected, text) => expect(classOf(text)).toBe(expected));

  it.each(['login_missing', 'bad_key', 'denied', 'timeout', null] as const)('is for a person: %s', (kind) =>
    expect(failureCause(kind, 'overloaded, resets 4am (UTC)', now).class).toBe('final'),
  );

  it('says when a spent quota is reset', () => {
    const { resets_at } = failureCause('rate_limited', "You've hit your limit · resets 4am (Europe/Berlin)", now);
    expect(new Date(resets_at!).toISOString()).toBe('2026-11-29T03:00:00.000Z');
  });
});
