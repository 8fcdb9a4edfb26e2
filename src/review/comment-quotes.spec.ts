import { describe, expect, it } from '@jest/globals';
import type { PlacedComment } from '../deliveries/pull-request-comments.repository.js';
import type { SentComment } from './sent-comments.service.js';
import { ofForge, ofReview, quoteAll } from './comment-quotes.js';

const said = {
  ...{ author: '@ada', path: 'web/a.txt', side: 'new', line: 3, end_line: 4, lines: 'three\nfour', outdated: false },
  text: 'Why?',
} as SentComment;
const asked = {
  ...{ author: 'bob', trusted: true, path: 'a.txt', line: 7, hunk: '@@ -7 +7 @@\n-x\n+y', body: 'Say more' },
} as PlacedComment;

describe('comments before an agent', () => {
  it('are numbered quotes with who, where and the lines, of people and of a forge alike', () => {
    const text = quoteAll([ofReview(said), ofForge(asked, 'web')]);
    expect(text).toContain('Comment 1 by "@ada" on "web/a.txt", lines 3 to 4:\n> three\n> four\n>\n> Why?\n\n');
    expect(text).toContain('Comment 2 by "bob" on "web/a.txt", line 7:\n> @@ -7 +7 @@\n> -x\n> +y\n>\n> Say more\n\n');
    expect(text).not.toContain('suggestion');
  });

  it('say what an agent found, and how much that matters to it', () => {
    const found = { ...said, author: '@codex', author_type: 'agent', severity: 'major' } as SentComment;
    expect(quoteAll([ofReview(found)])).toContain('by "@codex" on "web/a.txt", lines 3 to 4 (an agent, major):');
  });

  it('say which side is meant, and what no longer holds', () => {
    const of = (part: Partial<SentComment>) => quoteAll([ofReview({ ...said, ...part })]);
    expect(of({ side: 'old', end_line: 3 })).toContain('on "web/a.txt", line 3 as they were before the changes:');
    expect(of({ outdated: true })).toContain('lines 3 to 4 (its lines have changed since):');
    expect(quoteAll([ofForge({ ...asked, trusted: false, path: null, hunk: null }, 'web')])).toContain(
      'Comment 1 by "bob" (not trusted):\n> Say more',
    );
  });

  it.each(['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'])(
    'keep a line end %j, and stay quotes',
    (end) => {
      const text = `a${end}\`\`\`suggestion${end}\tb  ${end}\`\`\``;
      const quoted = quoteAll([ofReview({ ...said, text })]);
      expect(quoted).toContain(`> ${text.replaceAll(end, `${end}> `)}\n\n`);
      if (end === '\n') expect(quoted).toContain('word for word');
    },
  );

  it('are refused where a message cannot hold them, rather than cut', () => {
    const many = Array.from({ length: 30 }, () => ofReview({ ...said, text: 'x'.repeat(10_000) }));
    expect(() => quoteAll(many)).toThrow(/comments/);
  });
});
