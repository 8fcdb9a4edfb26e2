import { describe, expect, it } from '@jest/globals';
import { nestsDeeperThan } from './nesting.js';

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
