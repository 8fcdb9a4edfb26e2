import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { GIVE_UP_AFTER_MS, LeaseWatch } from './lease-watch.js';

describe('the watch over a lease', () => {
  let clock: ManualClock;
  let answer: () => Promise<boolean>;
  let asked: number;
  let watch: LeaseWatch;

  const watchOver = (expires: boolean) =>
    new LeaseWatch(
      () => {
        asked += 1;
        return answer();
      },
      clock,
      expires,
    );
  /** True once so much time has passed. */
  const after = (ms: number) => new Promise<boolean>((resolve) => void clock.after(ms, () => resolve(true)));

  beforeEach(() => {
    clock = new ManualClock();
    asked = 0;
    answer = () => Promise.resolve(true);
    watch = watchOver(true);
  });

  it('renews every 2 s and is content while that works', async () => {
    await clock.advance(60_000);
    expect([asked, watch.lost.aborted]).toEqual([30, false]);
  });

  it('gives up at once where the claim is gone', async () => {
    answer = () => Promise.resolve(false);
    await clock.advance(2_000);
    expect(watch.lost.reason).toEqual(new Error('another runner took over'));
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('away'))],
    ['hangs', () => new Promise<boolean>(() => undefined)],
  ])('gives up when the database %s for too long, not before', async (_, silent) => {
    await clock.advance(10_000);
    answer = silent;
    await clock.advance(GIVE_UP_AFTER_MS - 1);
    expect(watch.lost.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.lost.reason).toEqual(new Error('the lease could not be renewed'));
  });

  it('forgives an outage that is shorter', async () => {
    answer = () => Promise.reject(new Error('away'));
    await clock.advance(GIVE_UP_AFTER_MS - 1_000);
    answer = () => Promise.resolve(true);
    await clock.advance(60_000);
    expect(watch.lost.aborted).toBe(false);
  });

  it.each([1, 2, 3, 4])('is never ended by renewals of %d s, of which one is under way at a time', async (seconds) => {
    let underWay = 0;
    let most = 0;
    answer = async () => {
      most = Math.max(most, (underWay += 1));
      await after(seconds * 1_000);
      underWay -= 1;
      return true;
    };
    await clock.advance(600_000);
    expect([watch.lost.aborted, most]).toEqual([false, 1]);
  });

  it('counts an answer from when it was asked for, however late it comes', async () => {
    answer = () => after(GIVE_UP_AFTER_MS + 900);
    await clock.advance(GIVE_UP_AFTER_MS + 2_000);
    expect(watch.lost.aborted).toBe(true);
  });

  it.each([3_000, 6_000])('goes on after a stall of %d ms', async (ms) => {
    await clock.advance(11_000);
    await clock.jump(ms);
    await clock.advance(60_000);
    expect(watch.lost.aborted).toBe(false);
  });

  it('hears answers that came during a stall before it judges', async () => {
    let heard!: (isRenewed: boolean) => void;
    answer = () => new Promise((resolve) => (heard = resolve));
    await clock.advance(2_000);
    const stalled = clock.jump(8_500); // since the renewal was asked for; its answer waits in the socket
    heard(true);
    await stalled;
    answer = () => Promise.resolve(true);
    await clock.advance(60_000);
    expect(watch.lost.aborted).toBe(false);
  });

  it.each([9_000, 30_000])('ends after a stall of %d ms', async (ms) => {
    answer = () => after(100);
    await clock.advance(10_000);
    await clock.jump(ms);
    expect(watch.lost.aborted).toBe(true);
  });

  it('never ends by the clock where the process is alone', async () => {
    const alone = watchOver(false);
    answer = () => new Promise(() => undefined);
    await clock.jump(3_600_000);
    expect([alone.lost.aborted, alone.heldUntil]).toEqual([false, null]);
  });

  it('asks no more once it is closed', async () => {
    watch.close();
    await clock.advance(60_000);
    expect([asked, watch.lost.aborted]).toEqual([0, false]);
  });
});
