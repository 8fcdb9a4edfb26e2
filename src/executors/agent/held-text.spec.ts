import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NormalizedEntry } from '../log-entry.js';
import { HeldText } from './held-text.js';

const say = (pieces: readonly string[], pauses: readonly boolean[]): NormalizedEntry[] => {
  const text = new HeldText();
  const entries = pieces.flatMap((piece, at) => [
    ...text.add('assistant_message', piece),
    ...(pauses[at % pauses.length] ? text.flush(at % 2 === 0) : []),
  ]);
  return [...entries, ...text.close()];
};

describe('a message that comes in pieces', () => {
  it('is whole where its entries are joined, whenever it paused', () => {
    const piece = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('\n', '\n\n', ' ', 'one wh', 'ole sentence'));
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 20 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        (pieces, pauses) => {
          const whole = pieces.join('');
          const entries = say(pieces, pauses);
          expect(entries.map(({ content }) => content).join('')).toBe(whole.trim() === '' ? '' : whole);
          expect(entries.map(({ continues }) => continues ?? false)).toEqual(entries.map((_, at) => at > 0));
        },
      ),
    );
  });

  it('is given out by sentences while it goes on, and as it is in a silence', () => {
    const text = new HeldText();
    const words = 'Two files differ. I look at both:\n- a.ts, v1.2'.split(/(?<= )/);
    const entries = words.flatMap((word) => [...text.add('assistant_message', word), ...text.flush(true)]);
    expect(entries.map(({ content }) => content)).toEqual(['Two files differ. ', 'I look at both:\n']);
    expect(text.flush()).toEqual([{ type: 'assistant_message', content: '- a.ts, v1.2', continues: true }]);
  });

  it('is another one behind an event of another kind', () => {
    const text = new HeldText();
    text.add('thinking', 'hm');
    expect(text.flush()).toEqual([{ type: 'thinking', content: 'hm' }]);
    expect(text.add('assistant_message', 'so')).toEqual([]);
    expect(text.close()).toEqual([{ type: 'assistant_message', content: 'so' }]);
    text.add('assistant_message', 'next');
    expect(text.close()).toEqual([{ type: 'assistant_message', content: 'next' }]);
  });
});
