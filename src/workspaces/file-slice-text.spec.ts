import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { lookAhead, textSlice } from './file-slice.js';

describe('textSlice', () => {
  const cut = (bytes: Buffer, start: number, wanted: number) =>
    textSlice(bytes.subarray(start, start + wanted + lookAhead), wanted, start === 0);

  it('pages through any text without losing or breaking a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.replaceAll('\0', ' ')),
        fc.integer({ min: 1, max: 50 }),
        (text, wanted) => {
          const bytes = Buffer.from(text);
          const parts: Buffer[] = [];
          for (let at = 0; at < bytes.length;) {
            const slice = cut(bytes, at, wanted)!;
            expect(slice.skipped).toBe(0);
            expect(slice.content.length).toBeGreaterThan(0);
            expect(slice.content.length).toBeLessThanOrEqual(Math.max(wanted, 4));
            parts.push(slice.content);
            at += slice.content.length;
          }
          expect(Buffer.concat(parts).toString()).toBe(bytes.toString());
        },
      ),
    );
  });

  it('begins at the next character when the start lies within one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }).map((text) => text.replaceAll('\0', ' ')),
        fc.nat(),
        fc.integer({ min: 1, max: 20 }),
        (text, seed, wanted) => {
          const bytes = Buffer.from(text);
          const start = seed % bytes.length;
          const { skipped, content } = cut(bytes, start, wanted)!;
          expect(bytes.toString('utf8', 0, start + skipped) + content.toString()).toBe(
            bytes.toString('utf8', 0, start + skipped + content.length),
          );
          expect(content.toString()).not.toContain('\uFFFD');
        },
      ),
    );
  });

  it.each([
    ['a NUL', Buffer.from('a\0b')],
    ['Latin-1', Buffer.from('caf\xe9 noir', 'latin1')],
    ['a continuation at the start of the file', Buffer.from([0x80, 0x61])],
    ['nothing but continuations', Buffer.alloc(40, 0x80)],
    ['an overlong form', Buffer.from([0xc0, 0xaf, 0x61])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ])('takes %s for binary', (_, bytes) => {
    expect(textSlice(bytes, 20, true)).toBeNull();
  });

  it('takes nothing for text', () => {
    expect(textSlice(Buffer.alloc(0), 10, false)).toEqual({ skipped: 0, content: Buffer.alloc(0) });
  });
});
