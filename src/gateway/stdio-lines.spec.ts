import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { linesOf } from './stdio.js';

const linesFrom = async (chunks: (string | Buffer)[]) => {
  const lines: string[] = [];
  for await (const line of linesOf(
    Readable.from(
      chunks.map((chunk) => Buffer.from(chunk)),
      { objectMode: false },
    ),
  ))
    lines.push(line);
  return lines;
};

describe('lines of a stream', () => {
  it('do not depend on how the bytes were cut', async () => {
    const bytes = Buffer.from('{"a":"ü😀"}\n\n{"b":1}\r\n{"c":2}');
    const whole = ['{"a":"ü😀"}', '', '{"b":1}\r', '{"c":2}'];
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await linesFrom(chunks)).toEqual(whole);
    }
  });

  it('end with \\n alone', async () => {
    expect(await linesFrom(['a\u2028b\u2029c\u0085d\re\n'])).toEqual(['a\u2028b\u2029c\u0085d\re']);
    expect(await linesFrom([])).toEqual([]);
  });
});
