import { describe, expect, it } from '@jest/globals';
import { EveryKind, Paged } from '../../../test/support/sample-inputs.js';
import type { AppError } from '../errors/app-error.js';
import { MAX_REPORTED } from './input-errors.js';
import { InputParser } from './input-parser.js';
import { checkOutline, MAX_VALUES, nestsDeeperThan } from './input-bounds.js';

const nested = (depth: number): unknown =>
  JSON.parse('[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2)) as unknown;

describe('nesting', () => {
  it('counts objects and arrays alike', () => {
    expect(nestsDeeperThan(nested(64), 64)).toBe(false);
    expect(nestsDeeperThan(nested(66), 64)).toBe(true);
    expect(nestsDeeperThan({ a: [1], b: 'x' }, 1)).toBe(true);
    expect(nestsDeeperThan({ a: null }, 1)).toBe(false);
    expect(nestsDeeperThan('text', 0)).toBe(false);
  });

  it('does not exhaust the stack', () => {
    expect(nestsDeeperThan(nested(200_000), 64)).toBe(true);
    expect(nestsDeeperThan(nested(200_000), 300_000)).toBe(false);
  });
});

const keys = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
function refusalOf(check: () => void): AppError {
  try {
    check();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('was accepted');
}
const outlineOf = (input: unknown): AppError => refusalOf(() => checkOutline(EveryKind, input));

describe('a flood of unknown keys', () => {
  it('is refused by its first names and the number of the others', () => {
    const { code, message, details } = outlineOf(keys(300_000));
    expect(code).toBe('invalid_argument');
    expect((details.fields as { field: string }[]).map(({ field }) => field)).toEqual(Object.keys(keys(MAX_REPORTED)));
    expect(details.more).toBe(300_000 - MAX_REPORTED);
    expect(message).toMatch(/: k0 is not a field; known fields: uuid, .*; and 299980 more\.$/);
  });

  it('is counted without a look at any value', () => {
    const looks = { listed: 0, read: 0 };
    const watched = new Proxy(keys(1_000), {
      ownKeys: (target) => ((looks.listed += 1), Reflect.ownKeys(target)),
      get: (target, key) => ((looks.read += 1), Reflect.get(target, key) as unknown),
    });
    expect(refusalOf(() => InputParser.of(Paged).parse(watched)).details).toMatchObject({ more: 980 });
    expect(looks).toEqual({ listed: 1, read: 0 });
  });

  it('is seen below the root, in objects and in the items of lists', () => {
    expect(outlineOf({ part: keys(21) }).details).toMatchObject({
      fields: [{ field: 'part.k0' }, ...Array.from({ length: 19 }, () => expect.anything() as unknown)],
      more: 1,
    });
    const { details } = outlineOf({ parts: Array.from({ length: 21 }, () => ({ name: 'x', count: 1, size: 2 })) });
    expect(details).toMatchObject({ more: 1 });
    expect((details.fields as { field: string }[])[19]?.field).toBe('parts.19.size');
  });

  it('counts neither known keys nor what Gemini CLI adds', () => {
    expect(() => checkOutline(EveryKind, { uuid: 1, wait_for_previous: true, ...keys(MAX_REPORTED) })).not.toThrow();
  });
});

describe('the size of an input', () => {
  const values = (count: number): unknown[] => Array.from({ length: count }, () => 1);

  it('is bounded for free records, at all levels together', () => {
    expect(() => checkOutline(EveryKind, { record: keys(MAX_VALUES) })).not.toThrow();
    for (const record of [keys(MAX_VALUES + 1), { a: { b: values(MAX_VALUES) } }, { a: [keys(MAX_VALUES)] }])
      expect(outlineOf({ record }).details.fields).toEqual([
        { field: 'record', message: 'record must hold at most 10000 values' },
      ]);
  });

  it('is bounded for lists', () => {
    expect(() => checkOutline(EveryKind, { texts: values(MAX_VALUES) })).not.toThrow();
    for (const field of ['texts', 'parts'])
      expect(outlineOf({ [field]: values(MAX_VALUES + 1) }).details.fields).toEqual([
        { field, message: `${field} must have at most 10000 items` },
      ]);
  });

  it('is bounded in depth', () => {
    expect(outlineOf({ record: nested(66) }).details.summary).toBe('arguments nest deeper than 64 levels');
  });
});
