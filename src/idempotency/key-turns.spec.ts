import { describe, expect, it } from '@jest/globals';
import { KeyTurns } from './idempotency.service.js';

/** Work that ends on demand and reports when it began. */
function manual<T>(began: string[], name: string) {
  let end!: (result: T) => void;
  let fail!: (error: Error) => void;
  const done = new Promise<T>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return {
    work: () => {
      began.push(name);
      return done;
    },
    end,
    fail,
  };
}
const settle = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('turns of a key', () => {
  it('begin one after another, in any number, also after one that failed', async () => {
    const turns = new KeyTurns();
    const began: string[] = [];
    const [first, second, third] = [
      manual<object>(began, 'first'),
      manual<object>(began, 'second'),
      manual<object>(began, 'third'),
    ];
    const answers = [first, second, third].map(({ work }) => turns.take('key', 60_000, work));
    await settle();
    expect(began).toEqual(['first']);
    first.fail(new Error('no effect'));
    await expect(answers[0]).rejects.toThrow('no effect');
    await settle();
    expect(began).toEqual(['first', 'second']);
    second.end({ n: 2 });
    expect(await answers[1]).toEqual({ n: 2 });
    await settle();
    expect(began).toEqual(['first', 'second', 'third']);
    third.end({ n: 3 });
    expect(await answers[2]).toEqual({ n: 3 });
  });

  it('of different keys do not wait for each other', async () => {
    const turns = new KeyTurns();
    const slow = manual<object>([], 'slow');
    const waiting = turns.take('one', 60_000, slow.work);
    expect(await turns.take('other', 60_000, () => Promise.resolve({ done: true }))).toEqual({ done: true });
    slow.end({});
    await waiting;
  });

  it('are given up when the wait is over, and what is left of it is handed on', async () => {
    const turns = new KeyTurns();
    const slow = manual<object>([], 'slow');
    const first = turns.take('key', 60_000, slow.work);
    expect(await turns.take('key', 1, () => Promise.resolve({}))).toBeNull();
    slow.end({});
    await first;
    const left = await turns.take('key', 500, (leftMs) => Promise.resolve({ leftMs }));
    expect(left!.leftMs).toBeGreaterThan(0);
    expect(left!.leftMs).toBeLessThanOrEqual(500);
  });
});
