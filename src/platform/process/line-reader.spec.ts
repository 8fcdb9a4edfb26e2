import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineReader, maxLineBytes } from './line-reader.js';
import type { OutputLine } from './process-types.js';

type Part = Pick<OutputLine, 'text' | 'continues'>;

function read(chunks: readonly Uint8Array[], maxBytes?: number): Part[] {
  const reader = new LineReader('stdout', maxBytes);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()].map(({ text, continues }) => ({
    text,
    continues,
  }));
}

const readText = (...chunks: string[]) => read(chunks.map((chunk) => Buffer.from(chunk))).map(({ text }) => text);

/** The rules once more, without chunks and without speed. */
function expected(bytes: Buffer, maxBytes: number): Part[] {
  const lines = bytes.toString('utf8').replaceAll('\0', '\uFFFD').split('\n');
  const last = lines.pop()!;
  const whole = [...lines.map((line) => line.replace(/\r$/, '')), ...(last === '' ? [] : [last])];
  return whole.flatMap((line) => parts(line, maxBytes));
}

function parts(line: string, maxBytes: number): Part[] {
  const texts = [''];
  for (const character of line) {
    if (Buffer.byteLength(texts.at(-1)! + character) > maxBytes) texts.push('');
    texts[texts.length - 1] += character;
  }
  return texts.map((text, index) => ({ text, continues: index < texts.length - 1 }));
}

const fragment = fc
  .constantFrom('a', 'bc', '\n', '\r', '\r\n', '\0', 'é', '€', '😀', '\u001b[1m', '\uFEFF')
  .map((text) => Buffer.from(text));
const invalid = fc
  .constantFrom([0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f], [0x80], [0xed, 0xa0, 0x80], [0xc0, 0xaf])
  .map((bytes) => Buffer.from(bytes));
const input = fc
  .array(fc.oneof({ weight: 4, arbitrary: fragment }, invalid, fc.uint8Array({ maxLength: 4 })), { maxLength: 60 })
  .map((pieces) => Buffer.concat(pieces));

describe('LineReader', () => {
  it('gives the same lines however the bytes are cut into chunks', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(input, cuts, fc.integer({ min: 4, max: 10 }), (bytes, fractions, maxBytes) => {
        const borders = [
          0,
          ...fractions.map((fraction) => Math.floor(fraction * bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
        expect(read(chunks, maxBytes)).toEqual(expected(bytes, maxBytes));
      }),
      { numRuns: 3_000 },
    );
  });

  it('writes only what a database text can hold, and no more of it than an entry may have', () => {
    fc.assert(
      fc.property(input, fc.integer({ min: 4, max: 24 }), (bytes, maxBytes) => {
        for (const { text } of read([bytes], maxBytes)) {
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
          expect(Buffer.from(text).toString()).toBe(text);
          expect(text).not.toMatch(/[\0\n]/);
        }
      }),
    );
  });

  it('ends lines at \\n and \\r\\n, and keeps a progress update in its line', () => {
    expect(readText('one\r\ntw', 'o\n\nprogress 10%\rprogress 20%\nlast')).toEqual([
      'one',
      'two',
      '',
      'progress 10%\rprogress 20%',
      'last',
    ]);
    expect(readText('one\r', '\ntwo\r')).toEqual(['one', 'two\r']);
    expect(readText('one\n')).toEqual(['one']);
    expect(readText()).toEqual([]);
  });

  it('replaces NUL and invalid bytes, and nothing else of their line', () => {
    const bytes = Buffer.concat([Buffer.from('a\0b'), Buffer.from([0xff]), Buffer.from('\u001b[31mé😀\n')]);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
      { text: 'a\uFFFDb\uFFFD\u001b[31mé😀', continues: false },
    ]);
  });

  it('gives out a line of exactly the limit in one part, also before \\r\\n', () => {
    const full = 'x'.repeat(maxLineBytes);
    expect(read([Buffer.from(full), Buffer.from('\r'), Buffer.from('\n')])).toEqual([{ text: full, continues: false }]);
    expect(read([Buffer.from(full), Buffer.from('\r'), Buffer.from('y\n')])).toEqual([
      { text: full, continues: true },
      { text: '\ry', continues: false },
    ]);
    expect(read([Buffer.from(`${full}${full}\r`), Buffer.from('\n')])).toEqual([
      { text: full, continues: true },
      { text: full, continues: false },
    ]);
  });

  it('cuts a longer line between characters', () => {
    const line = `x${'é'.repeat(maxLineBytes)}`;
    const lines = read([Buffer.from(`${line}\nnext\n`)]);
    expect(lines.map(({ text, continues }) => [Buffer.byteLength(text), continues])).toEqual([
      [maxLineBytes - 1, true],
      [maxLineBytes, true],
      [2, false],
      [4, false],
    ]);
    expect(
      lines
        .slice(0, 3)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
  });

  it('gives out the parts of an endless line while it comes, so that it never has to be held', () => {
    const reader = new LineReader('stderr');
    const chunk = Buffer.alloc(8_192, 'x');
    const first = Array.from({ length: 9 }, () => reader.push(chunk)).flat();
    expect(first).toEqual([{ stream: 'stderr', text: 'x'.repeat(maxLineBytes), continues: true }]);
  });
});
