import { describe, expect, it } from '@jest/globals';
import { firstShown, inShownOrder } from './columns.js';

const cards = (...ids: string[]) => ids.map((task_id) => ({ task_id }));

describe('cards under a pointer', () => {
  it('stay where they are shown; new ones come last', () => {
    const now = cards('new', 'c', 'a', 'newer', 'b');
    expect(inShownOrder(now, ['a', 'b', 'c', 'gone'])).toEqual(cards('a', 'b', 'c', 'new', 'newer'));
  });
});

describe('the one column of a narrow screen', () => {
  it('is the one that waits for somebody', () => {
    expect(
      firstShown([
        { status: 'todo', count: 3 },
        { status: 'inprogress', count: 1 },
        { status: 'inreview', count: 0 },
      ]),
    ).toBe('inprogress');
    expect(firstShown([{ status: 'done', count: 0 }])).toBe('todo');
  });
});
