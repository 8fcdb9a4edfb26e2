import { describe, expect, it } from '@jest/globals';
import { lastLines } from './formats.js';

describe('the last lines of a text', () => {
  it.each([
    ['all of a short one', 'one\ntwo\n', 100, 'one\ntwo\n'],
    ['whole lines', 'first\nsecond\nthird\n', 10, 'third\n'],
    ['a line that just fits', 'first\nsecond\n', 7, 'second\n'],
    ['the end of a line that is longer', 'a long line without an end', 6, 'an end'],
    ['the end of such a line, ended', 'short\na long line\n', 5, 'line\n'],
    ['whole characters', 'ééé', 5, 'éé'],
  ])('are %s', (_, text, most, expected) => {
    expect(lastLines(text, most)).toBe(expected);
  });
});
