import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withStartLock } from './start-lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'taskyard-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const lock = () => path.join(folder, 'postgres.lock');
const answer = () => withStartLock(folder, () => Promise.resolve(42));

describe('withStartLock', () => {
  it('runs one piece of work at a time', async () => {
    let inside = 0;
    const most = await Promise.all(
      [1, 2, 3, 4].map(() =>
        withStartLock(folder, async () => {
          inside += 1;
          const seen = inside;
          await delay(5);
          inside -= 1;
          return seen;
        }),
      ),
    );
    expect(most).toEqual([1, 1, 1, 1]);
  });

  it('leaves nothing behind, also when the work fails', async () => {
    await expect(withStartLock(folder, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a dead process', '4194305:1'],
    ['a process whose pid is used again', `${process.pid}:1`],
  ])('takes over the lock of %s', async (_, owner) => {
    writeFileSync(lock(), owner);
    expect(await answer()).toBe(42);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over a lock whose owner died before it wrote its name', async () => {
    writeFileSync(lock(), '');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock(), longAgo, longAgo);
    expect(await answer()).toBe(42);
  });

  it('waits for a live owner', async () => {
    const order: string[] = [];
    let release: () => void = () => undefined;
    const first = withStartLock(
      folder,
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    ).then(() => order.push('first'));
    const second = answer().then(() => order.push('second'));
    await delay(0);
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });
});
