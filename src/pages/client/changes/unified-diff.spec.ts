import { describe, expect, it } from '@jest/globals';
import { linesOf } from './unified-diff.js';

const patch = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -3,3 +3,4 @@ top
 same
-old
+new
+-- more
 end
\\ No newline at end of file
`;

describe('a unified diff', () => {
  it('is lines with their numbers on both sides', () => {
    expect(linesOf(patch).map(({ kind, text, old, new: after }) => [kind, text, old, after])).toEqual([
      ['hunk', '@@ -3,3 +3,4 @@ top', null, null],
      ['context', 'same', 3, 3],
      ['deleted', 'old', 4, null],
      ['added', 'new', null, 4],
      ['added', '-- more', null, 5],
      ['context', 'end', 5, 6],
      ['hunk', '\\ No newline at end of file', null, null],
    ]);
  });

  it('of a binary file has none', () => {
    expect(linesOf('diff --git a/x b/x\nBinary files a/x and b/x differ\n')).toEqual([]);
  });
});
