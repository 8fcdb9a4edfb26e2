import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FairLimit } from './limits.js';

const begun: string[] = [];
const hanging = (limit: FairLimit, group: string) => {
  let end!: () => void;
  const ended = limit.run(group, async () => {
    begun.push(group);
    await new Promise<void>((resolve) => (end = resolve));
  });
  return { ended, end: () => end() };
};

describe('FairLimit', () => {
  it('leaves a place to others, however many of one group hang', async () => {
    begun.length = 0;
    const limit = new FairLimit(3, 2);
    const held = Array.from({ length: 10 }, () => hanging(limit, 'a'));
    const other = hanging(limit, 'b');
    await tick();
    expect(begun).toEqual(['a', 'a', 'b']);
    other.end();
    await other.ended;
    for (const { ended, end } of held) {
      await tick();
      end();
      await ended;
    }
    expect(begun).toEqual(['a', 'a', 'b', ...Array<string>(8).fill('a')]);
  });

  it('gives a freed place to the group that holds the least', async () => {
    begun.length = 0;
    const limit = new FairLimit(2, 2);
    const held = ['a', 'a', 'a', 'a', 'b'].map((group) => hanging(limit, group));
    await tick();
    held[0]!.end();
    await held[0]!.ended;
    await tick();
    expect(begun).toEqual(['a', 'a', 'b']);
    for (const at of [1, 4, 2, 3]) {
      held[at]!.end();
      await held[at]!.ended;
      await tick();
    }
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'a']);
  });

  it('gives the place of work that fails to the next', async () => {
    const limit = new FairLimit(1, 1);
    const failing = limit.run('a', () => Promise.reject(new Error('no')));
    const next = limit.run('a', () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });
});
