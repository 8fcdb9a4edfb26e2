import { describe, expect, it } from '@jest/globals';
import { wordsForFailure } from './failure-words.js';

describe('why a run failed', () => {
  it.each([
    ['failed (exit_code=3)', 'codingagent', 'The agent ended with exit code 3.'],
    ['failed (exit_code=1)', 'setupscript', 'The setup script ended with exit code 1.'],
    ['failed (exit_code=1)', null, 'The run ended with exit code 1.'],
    ['ended by SIGKILL', 'cleanupscript', 'The cleanup script was ended by the signal SIGKILL.'],
    ['could not start: spawn ENOENT', 'codingagent', 'The agent could not start: spawn ENOENT'],
    ['rate limited: come back later.', 'codingagent', 'The run failed: rate limited: come back later.'],
    ['timed out after 20 s', null, 'The run failed: timed out after 20 s.'],
  ])('%s, of %s, is said to people', (summary, run_reason, words) => {
    expect(wordsForFailure(summary, run_reason)).toBe(words);
  });
});
