import { describe, expect, it } from '@jest/globals';
import { linesOf, sectionsOf } from './unified-diff.js';

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

  it('of several files falls apart by their names', () => {
    const renamed = 'diff --git a/old.txt b/new.txt\nsimilarity index 90%\n--- a/old.txt\n+++ b/new.txt\n';
    const odd = 'diff --git a/x b/y b/x b/y\nnew file mode 100644\n+++ b/x b/y\n@@ -0,0 +1 @@\n+diff --git a/z b/z\n';
    expect([...sectionsOf(patch + renamed + odd)]).toEqual([
      ['a.txt\na.txt', patch],
      ['old.txt\nnew.txt', renamed],
      ['x b/y\nx b/y', odd],
    ]);
  });

  it('of a binary file has none', () => {
    expect(linesOf('diff --git a/x b/x\nBinary files a/x and b/x differ\n')).toEqual([]);
  });
});
