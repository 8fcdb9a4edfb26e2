import { describe, expect, it } from '@jest/globals';
import { spansOf } from './spans.js';

describe('what was marked up', () => {
  it('is lines of parts that add up to them, each of its innermost kind', () => {
    const html =
      '<span class="hljs-keyword">const</span> a = <span class="hljs-string">`&lt;<span class="hljs-subst">${b}</span>\n' +
      'c`</span>;\n\n<span class="hljs-title function_">f</span>(<span class="hljs-params">x</span>)';
    expect(spansOf(html)).toEqual([
      [
        ['keyword', 5],
        ['', 5],
        ['string', 2],
        ['', 4],
      ],
      [
        ['string', 2],
        ['', 1],
      ],
      [],
      [
        ['name', 1],
        ['', 3],
      ],
    ]);
  });
});
