import { describe, expect, it } from '@jest/globals';
import { placesOf, rowsOf, slabsOf } from './rows.js';
import { linesOf } from './unified-diff.js';

const lines = linesOf('@@ -3,4 +3,4 @@ top\n same\n-old\n-older\n+new\n end\n+last\n\\ No newline at end of file\n');

describe('rows of a diff', () => {
  it('hold a line each in one column, and side by side what came for what went', () => {
    const same = (at: number) => ({ old: at, new: at });
    expect(rowsOf(lines, false)).toEqual(lines.map((_, at) => same(at)));
    expect(rowsOf(lines, true)).toEqual([
      ...[same(0), same(1), { old: 2, new: 4 }, { old: 3, new: null }],
      ...[same(5), { old: null, new: 6 }, same(7)],
    ]);
    expect(rowsOf(lines, true).flatMap(placesOf).toSorted()).toEqual(lines.map((_, at) => at));
  });

  it('are drawn in parts that know their lines', () => {
    const slabs = slabsOf(rowsOf(linesOf(`@@ -0,0 +1,70 @@\n${'+x\n'.repeat(70)}`), true));
    expect(slabs.map(({ rows, places }) => [rows.length, places.size, places.has(60)])).toEqual([
      [50, 50, false],
      [21, 21, true],
    ]);
  });
});
