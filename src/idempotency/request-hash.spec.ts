import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestHash } from './idempotency.service.js';

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

describe('the hash of a request', () => {
  it('does not depend on the order of keys, nor on fields that are absent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(requestHash(shuffled(value))).toBe(requestHash(value));
      }),
    );
    expect(requestHash({ title: 'x', variant: undefined })).toBe(requestHash({ title: 'x' }));
  });

  it('is the same for no two requests that differ', () => {
    const different = [
      {},
      { a: 1 },
      { a: '1' },
      { a: null },
      { a: [] },
      { a: {} },
      { a: [1] },
      { a: [1, 2] },
      { a: [2, 1] },
      { a: [[1], 2] },
      { a: true },
      { a: 'true' },
      { ab: 'c' },
      { a: 'bc' },
      { a: '","b":"' },
      { a: '', b: '' },
      { a: 'é' },
      { a: 'e\u0301' },
      [],
      [{}],
      '',
      null,
      'null',
    ];
    expect(new Set(different.map(requestHash)).size).toBe(different.length);
  });
});
