import { describe, expect, it } from '@jest/globals';
import { folded } from './folding.js';
import { linesOf } from './unified-diff.js';

const LAST = 60;
/** Lines 20 and 40 of a file have changed; so many are shown around them. */
const patchOf = (around: number) => {
  const line = (at: number) => (at === 20 || at === 40 ? `-${at}\n+${at}!` : ` ${at}`);
  const hunk = (from: number, to: number, heading: string) => {
    const size = `${from},${to - from + 1}`;
    const rows = Array.from({ length: to - from + 1 }, (_, at) => line(from + at));
    return `@@ -${size} +${size} @@${heading}\n${rows.join('\n')}\n`;
  };
  if (around >= LAST) return hunk(1, LAST, '');
  return [20, 40].map((at) => hunk(at - around, at + around, ' here')).join('');
};
const shown = (patch: string, open: { from: number; to: number }[], isWhole: boolean) => {
  const { lines, rest } = folded(linesOf(patch), open, isWhole);
  const heads = lines.filter(({ start }) => start).map(({ text, gap }) => [text, gap && [gap.from, gap.to]]);
  return [heads, rest && [rest.from, rest.to]];
};

describe('what is folded of a diff', () => {
  it('is what git leaves out, as long as nothing was unfolded', () => {
    const heads = [
      ['@@ -17,7 +17,7 @@ here', [1, 16]],
      ['@@ -37,7 +37,7 @@ here', [24, 36]],
    ];
    expect(shown(patchOf(3), [], false)).toEqual([heads, [44, Infinity]]);
  });

  it('grows at the place that was unfolded, and nowhere else', () => {
    const [first, second] = [
      ['@@ -17,12 +17,12 @@', [1, 16]],
      ['@@ -37,7 +37,7 @@', [29, 36]],
    ];
    expect(shown(patchOf(LAST), [{ from: 24, to: 28 }], true)).toEqual([
      [first, second],
      [44, LAST],
    ]);
  });

  it('names what each hunk stands in as git does, also once the whole file is there', () => {
    const body = ['function one() {', ...Array.from({ length: 12 }, (_, at) => `  ${at}`), '}'];
    const file = [...body, '', 'class Two {', ...Array.from({ length: 12 }, (_, at) => `  ${at}`), '}'];
    const changed = file.flatMap((line, at) => (at === 10 || at === 26 ? [`-${line}`, '+  now'] : [` ${line}`]));
    const heads = shown(
      `@@ -1,${file.length} +1,${file.length} @@\n${changed.join('\n')}\n`,
      [{ from: 1, to: 2 }],
      true,
    )[0];
    expect(heads).toEqual([
      ['@@ -1,2 +1,2 @@', undefined],
      ['@@ -8,7 +8,7 @@ function one() {', [3, 7]],
      ['@@ -24,6 +24,6 @@ class Two {', [15, 23]],
    ]);
  });

  it('is nothing between hunks that have met, and nothing at an end that is shown', () => {
    const open = [
      { from: 24, to: 36 },
      { from: 44, to: Infinity },
    ];
    expect(shown(patchOf(LAST), open, true)).toEqual([[['@@ -17,44 +17,44 @@', [1, 16]]], null]);
  });

  it('is nothing of a file that is new or gone', () => {
    expect(shown('@@ -0,0 +1,2 @@\n+one\n+two\n', [], false)).toEqual([[['@@ -0,0 +1,2 @@', undefined]], null]);
    expect(shown('@@ -1,2 +0,0 @@\n-one\n-two\n', [], false)).toEqual([[['@@ -1,2 +0,0 @@', undefined]], null]);
  });
});
