import { describe, expect, it } from '@jest/globals';
import { linesIn, withWords } from './log-words.js';

const said = { type: 'assistant_message', content: 'one\nTwo words\ntwo' };
const error = { type: 'system_message', content: 'oh\nno', metadata: { stream: 'stderr' } };
const used = { type: 'tool_use', content: 'npm test', tool_name: 'Bash' };

describe('the words of a log', () => {
  it('are sought in each line of what was printed, and in whole entries of what was said', () => {
    expect(withWords(said, 'TWO', true)).toEqual({ ...said, content: 'Two words\ntwo' });
    expect(withWords(said, ' words  two ', true)).toEqual({ ...said, content: 'Two words' });
    expect(withWords(said, 'one two', true)).toBeNull();
    expect(withWords(error, 'no', false)).toEqual({ ...error, content: 'no' });
    expect(withWords(said, 'one two', false)).toBe(said);
    expect(withWords(used, 'bash npm', true)).toBe(used);
    expect(withWords(used, 'bash npx', true)).toBeNull();
  });

  it('count the lines of what was printed alone', () => {
    expect([said, error, used].map((entry) => linesIn(entry, true))).toEqual([3, 2, 1]);
    expect([said, error, used].map((entry) => linesIn(entry, false))).toEqual([1, 2, 1]);
  });
});
