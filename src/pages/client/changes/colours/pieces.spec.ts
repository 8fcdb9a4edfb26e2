import { describe, expect, it } from '@jest/globals';
import { linesOf } from '../unified-diff.js';
import { languageOf } from './languages.js';
import { piecesOf } from './pieces.js';

describe('what is coloured of a diff', () => {
  it('is each hunk as it is now, and as it was where something is gone', () => {
    const lines = linesOf('@@ -3,2 +3,3 @@ top\n same\n-old\n+new\n+more\n@@ -9 +10,2 @@\n end\n+last\n');
    expect(piecesOf(lines)).toEqual([
      { text: 'same\nnew\nmore', places: [1, 3, 4] },
      { text: 'same\nold', places: [null, 2] },
      { text: 'end\nlast', places: [6, 7] },
    ]);
  });

  it('leaves lines alone that are too long to be read', () => {
    const lines = linesOf(`@@ -0,0 +1,2 @@\n+${'x'.repeat(1_001)}\n+short\n`);
    expect(piecesOf(lines)).toEqual([{ text: '\nshort', places: [null, 2] }]);
  });

  it('is of a language by the ending or the name of its file', () => {
    expect(['web/src/a.tsx', 'web/Dockerfile', 'web/a.b/README', 'web/x.unknown'].map(languageOf)).toEqual([
      'typescript',
      'dockerfile',
      null,
      null,
    ]);
  });
});
