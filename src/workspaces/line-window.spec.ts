import { describe, expect, it } from '@jest/globals';
import { windowOf } from './line-window.js';

const fileOf = (text: string) => {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    read: (start: number, length: number) => Promise.resolve(bytes.subarray(start, start + length)),
  };
};
const lines = async (text: string, start_line: number, line_count?: number) => {
  const { from, to } = await windowOf(fileOf(text), { start_line, line_count });
  return Buffer.from(text).toString('utf8', from, to);
};

describe('some lines of a file', () => {
  it.each([
    ['a\nb\nc\n', 1, 1, 'a\n'],
    ['a\nb\nc\n', 2, 2, 'b\nc\n'],
    ['a\nb\nc', 3, 5, 'c'],
    ['a\nb\nc\n', 2, undefined, 'b\nc\n'],
    ['a\nb\n', 3, 1, ''],
    ['a\nb\n', 9, 1, ''],
    ['\n\nx', 2, 1, '\n'],
    ['', 1, 1, ''],
  ])('of %j, from %s, %s of them', async (text, start_line, line_count, found) =>
    expect(await lines(text, start_line, line_count)).toBe(found),
  );

  it('are found in a large one', async () => {
    const text = Array.from({ length: 200_000 }, (_, at) => `line ${at + 1}\n`).join('');
    expect(await lines(text, 150_000, 2)).toBe('line 150000\nline 150001\n');
  });
});
