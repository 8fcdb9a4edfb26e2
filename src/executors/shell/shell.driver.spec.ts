import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineReader } from '../../platform/process/line-reader.js';
import type { OutputStream } from '../../platform/process/process-types.js';
import type { NormalizedEntry } from '../log-entry.js';
import { ShellDriver } from './shell.driver.js';

const line = (text: string, stream: OutputStream = 'stdout', continues = false) => ({ stream, text, continues });
/** The text that entries of one stream hold, a line end before each that begins a line. */
const textOf = (entries: NormalizedEntry[]): string =>
  entries.map(({ content, continues }) => (continues ? content : `\n${content}`)).join('');

/** Reads bytes cut into chunks, with a pause (a flush) behind each chunk for which `pauses` says so. */
function entriesOf(bytes: Uint8Array, cuts: number[], pauses: boolean[], maxLineBytes: number): NormalizedEntry[] {
  const reader = new LineReader('stdout', maxLineBytes);
  const driver = new ShellDriver();
  const entries: NormalizedEntry[] = [];
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  ends.forEach((end, at) => {
    for (const one of reader.push(bytes.subarray(ends[at - 1] ?? 0, end))) entries.push(...driver.push(one));
    if (pauses[at % pauses.length]) entries.push(...driver.flush());
  });
  for (const one of reader.end()) entries.push(...driver.push(one));
  return [...entries, ...driver.flush()];
}

describe('the entries of a script', () => {
  it('hold the same text however its bytes were cut and whenever it paused', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('\n', '\r\n', '\n\n', 'é'.repeat(40), '\0'),
      fc.string({ maxLength: 5 }),
    );
    const written = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((pieces) => new TextEncoder().encode(pieces.join(''))),
      fc.uint8Array({ maxLength: 300 }),
    );
    fc.assert(
      fc.property(
        written,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(8, 64, 65_536),
        (bytes, cuts, pauses, max) => {
          const whole = textOf(entriesOf(bytes, [], [false], 1_000_000));
          expect(textOf(entriesOf(bytes, cuts, pauses, max))).toBe(whole);
        },
      ),
    );
  });

  it('join neighbouring lines of one stream, and part where the stream changes', () => {
    const driver = new ShellDriver();
    const entries = [line('one'), line('two'), line('oh', 'stderr'), line('three')].flatMap((one) => driver.push(one));
    expect([...entries, ...driver.flush()]).toEqual([
      { type: 'assistant_message', content: 'one\ntwo' },
      { type: 'system_message', content: 'oh', metadata: { stream: 'stderr' } },
      { type: 'assistant_message', content: 'three' },
    ]);
    expect(driver.flush()).toEqual([]);
  });

  it('hold at most 100 lines, and little more than 4 096 characters', () => {
    const driver = new ShellDriver();
    const lines = Array.from({ length: 250 }, (_, at) => line(`line ${at}`)).flatMap((one) => driver.push(one));
    expect(lines.map(({ content }) => content.split('\n').length)).toEqual([100, 100]);
    const long = Array.from({ length: 20 }, () => line('x'.repeat(1_000))).flatMap((one) => driver.push(one));
    expect(Math.max(...long.map(({ content }) => content.length))).toBeLessThan(6_000);
  });

  it('end a turn with the last 4 KB of standard output, on whole characters', () => {
    const driver = new ShellDriver();
    expect(driver.finalMessage).toBeNull();
    for (let at = 0; at < 30_000; at += 1) driver.push(line(`日本 ${at}`));
    driver.push(line('not this', 'stderr'));
    const message = driver.finalMessage!;
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(message)).toBeGreaterThan(4_070);
    expect(message).toMatch(/^[日本 \d\n]+日本 29999$/);
  });
});
