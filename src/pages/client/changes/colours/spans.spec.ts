import { describe, expect, it } from '@jest/globals';
import { spansOf } from './spans.js';

describe('what was marked up', () => {
  it('is lines of parts that add up to them, each of its innermost kind', () => {
    const marked = (name: string, text: string) => `<span class="hljs-${name}">${text}</span>`;
    const html = [
      `${marked('keyword', 'const')} a = ${marked('string', `\`&lt;${marked('subst', '${b}')}\nc\``)};`,
      '',
      `${marked('title function_', 'f')}(${marked('params', 'x')})`,
    ].join('\n');
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
