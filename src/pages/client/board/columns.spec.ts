import { describe, expect, it } from '@jest/globals';
import { inShownOrder } from './columns.js';

const cards = (...ids: string[]) => ids.map((task_id) => ({ task_id }));

describe('cards under a pointer', () => {
  it('stay where they are shown; new ones come first', () => {
    expect(inShownOrder(cards('c', 'new', 'a', 'b'), ['a', 'b', 'c', 'gone'])).toEqual(cards('new', 'a', 'b', 'c'));
  });
});
