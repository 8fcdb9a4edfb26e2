import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GIVE_UP_AFTER_MS, LeaseWatch } from './lease-watch.js';

describe('the watch over a lease', () => {
  let answer: () => Promise<boolean>;
  let asked: number;
  let watch: LeaseWatch;

  beforeEach(() => {
    jest.useFakeTimers();
    asked = 0;
    answer = () => Promise.resolve(true);
    watch = new LeaseWatch(() => {
      asked += 1;
      return answer();
    });
  });
  afterEach(() => {
    watch.close();
    jest.useRealTimers();
  });

  it('renews every 2 s and is content while that works', async () => {
    await jest.advanceTimersByTimeAsync(60_000);
    expect([asked, watch.lost.aborted]).toEqual([30, false]);
  });

  it('gives up at once where the claim is gone', async () => {
    answer = () => Promise.resolve(false);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(watch.lost.reason).toEqual(new Error('another runner took over'));
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('away'))],
    ['hangs', () => new Promise<boolean>(() => undefined)],
  ])('gives up when the queue %s for too long, not before', async (_, silent) => {
    await jest.advanceTimersByTimeAsync(10_000);
    answer = silent;
    await jest.advanceTimersByTimeAsync(GIVE_UP_AFTER_MS);
    expect(watch.lost.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(watch.lost.reason).toEqual(new Error('the lease could not be renewed'));
  });

  it('forgives an outage that is shorter', async () => {
    answer = () => Promise.reject(new Error('away'));
    await jest.advanceTimersByTimeAsync(GIVE_UP_AFTER_MS - 1_000);
    answer = () => Promise.resolve(true);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(watch.lost.aborted).toBe(false);
  });

  it('counts an answer from when it was asked for, however late it comes', async () => {
    answer = () =>
      new Promise((resolve) => {
        setTimeout(() => resolve(true), GIVE_UP_AFTER_MS + 900);
      });
    await jest.advanceTimersByTimeAsync(GIVE_UP_AFTER_MS + 2_000);
    expect(watch.lost.aborted).toBe(true);
  });

  it('is not set back by an answer that another has overtaken', async () => {
    const delays = [7_900, 100, 100, 100, 100];
    answer = () =>
      new Promise((resolve) => {
        setTimeout(() => resolve(true), delays[asked - 1] ?? 100);
      });
    await jest.advanceTimersByTimeAsync(9_900); // the first answer, to what was asked at 2 s, comes now
    answer = () => new Promise(() => undefined);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(watch.lost.aborted).toBe(false);
  });

  it('asks no more once it is closed', async () => {
    watch.close();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([asked, watch.lost.aborted]).toEqual([0, false]);
  });
});
