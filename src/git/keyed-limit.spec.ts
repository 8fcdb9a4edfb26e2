import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { KeyedLimit } from './limits.js';

describe('KeyedLimit', () => {
  it('runs one of a key at a time, in order, and other keys beside it', async () => {
    const limit = new KeyedLimit();
    const running: Record<string, number> = { a: 0, b: 0 };
    const most: Record<string, number> = { a: 0, b: 0 };
    const begun: number[] = [];
    const work = (key: string, at: number) =>
      limit.run(key, async () => {
        running[key]! += 1;
        most[key] = Math.max(most[key]!, running[key]!);
        if (key === 'a') begun.push(at);
        await tick();
        running[key]! -= 1;
        return at;
      });
    const all = Array.from({ length: 20 }, (_, at) => [work('a', at), work('b', at)]).flat();
    expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, (_, at) => [at, at]).flat());
    expect(most).toEqual({ a: 1, b: 1 });
    expect(begun).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  it('goes on after a failure', async () => {
    const limit = new KeyedLimit();
    const failing = limit.run('a', () => Promise.reject(new Error('no')));
    const next = limit.run('a', () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });
});
