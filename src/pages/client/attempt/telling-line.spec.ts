import { describe, expect, it } from '@jest/globals';
import { tellingLine } from './telling-line.js';

describe('the line that tells why a run failed', () => {
  it.each([
    ['the last that names a failure', 'failed\ncannot open a.ts\n\x1b[2mDone in 2 s\x1b[0m\n', 'cannot open a.ts'],
    ['one that says what is wrong', 'TypeError: x is no function\nat a.ts: not found\n', 'TypeError: x is no function'],
    ['no sum', 'a.ts: error TS1005\n1 failed\nDone in 2 s\n', 'a.ts: error TS1005'],
    [
      'no sum of tests',
      'AssertionError: expected 3 to be 4\nTests: 1 failed, 2 passed',
      'AssertionError: expected 3 to be 4',
    ],
    ['no word of who called it', 'E  assert 3 == 4\nmake: *** [Makefile:2: test] Error 1', 'E  assert 3 == 4'],
    ['an answer with a number', 'Error: 404 not found\nnpm error code 1', 'Error: 404 not found'],
    ['a sum, where nothing says more', 'one\n1 failed\nDone', '1 failed'],
    ['the last of all, where none does', 'one\ntwo\n\n', 'two'],
    ['nothing, where nothing was printed', '\n', ''],
    ['not what is said already', 'no such table\nfailed (exit_code=3)', 'no such table'],
  ])('is %s', (_, output, line) => {
    expect(tellingLine(output, 'failed (exit_code=3)')).toBe(line);
  });
});
