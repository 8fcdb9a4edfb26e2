import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isJwt, isServiceToken, newServiceToken, publicPartOf } from './bearer-tokens.js';

describe('the form of a service token', () => {
  it('is recognised, each time another', () => {
    const tokens = Array.from({ length: 200 }, newServiceToken);
    expect(tokens.every(isServiceToken)).toBe(true);
    expect(new Set(tokens.map(publicPartOf)).size).toBe(200);
    expect(tokens.some(isJwt)).toBe(false);
  });

  it('is broken by any one letter', () => {
    const token = newServiceToken();
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'0aZ_.x'), (at, letter) => {
        fc.pre(token[at] !== letter);
        return !isServiceToken(token.slice(0, at) + letter + token.slice(at + 1));
      }),
    );
  });
});
