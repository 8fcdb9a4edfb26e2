import { describe, expect, it } from '@jest/globals';
import { tokenBars } from '../support/token-bars.js';

describe('what a model reads before its first call', () => {
  it.each(tokenBars)('%s: %i tokens of at most %i', (_, tokens, atMost) => {
    expect(tokens).toBeLessThanOrEqual(atMost);
  });
});
