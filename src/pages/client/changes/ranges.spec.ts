import { describe, expect, it } from '@jest/globals';
import type { Comment } from './comments.js';
import { placed, rangeOf, sideOf } from './ranges.js';
import { linesOf } from './unified-diff.js';

const lines = linesOf('@@ -3,3 +3,4 @@ top\n same\n-old\n+new\n+more\n end\n');

describe('picked rows of a diff', () => {
  it('are the lines of one side, whichever way they were picked', () => {
    expect(rangeOf(lines, { side: 'new', from: 1, to: 4 })).toEqual({
      ...{ side: 'new', line: 3, end_line: 5 },
      ...{ first: 1, last: 4 },
    });
    expect(rangeOf(lines, { side: 'old', from: 4, to: 1 })).toEqual({
      ...{ side: 'old', line: 3, end_line: 4 },
      ...{ first: 1, last: 2 },
    });
    expect(rangeOf(lines, { side: 'old', from: 3, to: 4 })).toBeNull();
  });

  it('are about what is there now, or else what is gone', () => {
    expect(lines.slice(1).map(sideOf)).toEqual(['new', 'old', 'new', 'new', 'new']);
  });
});

describe('comments on a diff', () => {
  const on = (side: 'old' | 'new', end_line: number, outdated = false) => ({ side, end_line, outdated }) as Comment;

  it('stand below the last of their lines, or apart where those are not shown or have changed', () => {
    const [same, gone, far, outdated] = [on('old', 3), on('old', 4), on('new', 40), on('new', 4, true)];
    const { byRow, others } = placed(lines, [same, gone, far, outdated, same]);
    expect([...byRow]).toEqual([
      [1, [same, same]],
      [2, [gone]],
    ]);
    expect(others).toEqual([far, outdated]);
  });
});
