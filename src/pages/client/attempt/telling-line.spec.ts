import { describe, expect, it } from '@jest/globals';
import { tellingLine } from './telling-line.js';

describe('the line that tells why a run failed', () => {
  it.each([
    ['the last that names a failure', 'a.ts: error TS1005\n1 failed\n\x1b[2mDone in 2 s\x1b[0m\n', '1 failed'],
    ['the last of all, where none does', 'one\ntwo\n\n', 'two'],
    ['nothing, where nothing was printed', '\n', ''],
    ['not what is said already', 'no such table\nfailed (exit_code=3)', 'no such table'],
  ])('is %s', (_, output, line) => {
    expect(tellingLine(output, 'failed (exit_code=3)')).toBe(line);
  });
});
