import { afterEach, describe, expect, it } from '@jest/globals';
import { ChangeHub } from '../platform/database/change-hub.js';
import type { Database } from '../platform/database/database.js';
import { ManualClock, settled } from '../../test/support/manual-clock.js';
import { JobLoop } from './job-loop.js';

const POLL_MS = 2_000;

/** A queue in memory whose jobs end when the test says so. */
class Ground {
  readonly nudges = new ChangeHub({} as Database).subscribe('jobs');
  readonly clock = new ManualClock();
  readonly running = new Map<number, () => void>();
  readonly done: number[] = [];
  readonly back: number[] = [];
  readonly faults: string[] = [];
  looks = 0;
  queued: number[] = [];
  fetch = (count: number): Promise<number[]> => Promise.resolve(this.queued.splice(0, count));
  loop!: JobLoop<number>;

  start(places: number): void {
    const source = {
      fetch: (count: number) => {
        this.looks += 1;
        return this.fetch(count);
      },
      handle: (job: number) => this.handle(job),
      giveBack: (job: number) => Promise.resolve(void this.back.push(job)),
      onFault: (error: unknown) => void this.faults.push((error as Error).message),
    };
    this.loop = new JobLoop(source, this.nudges, places, POLL_MS, this.clock);
  }

  async end(job: number): Promise<void> {
    this.running.get(job)!();
    await settled();
  }

  private async handle(job: number): Promise<void> {
    await new Promise<void>((resolve) => this.running.set(job, resolve));
    this.running.delete(job);
    this.done.push(job);
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('the loop that takes jobs', () => {
  let ground: Ground;
  afterEach(async () => {
    ground.fetch = () => Promise.resolve([]);
    const stopped = ground.loop.stop();
    ground.running.forEach((end) => end());
    await stopped;
  });

  it('gives a place that is freed to the next job at once, until a backlog of 200 is done', async () => {
    ground = new Ground();
    ground.queued = numbers(200);
    ground.start(3);
    await settled();
    for (let job = 0; job < 200; job += 1) {
      expect([...ground.running.keys()]).toEqual(numbers(200).slice(job, job + 3));
      await ground.end(job);
    }
    expect(ground.done).toEqual(numbers(200));
  });

  it('takes what is nudged about while places are free, and no more than there are places', async () => {
    ground = new Ground();
    ground.start(2);
    await settled();
    ground.queued = [1, 2, 3];
    ground.nudges.nudge();
    await settled();
    expect([...ground.running.keys()]).toEqual([1, 2]);
  });

  it('does not lose a nudge that comes while it looks', async () => {
    ground = new Ground();
    let answer!: (jobs: number[]) => void;
    ground.fetch = () => new Promise((resolve) => (answer = resolve));
    ground.start(1);
    await settled();
    ground.nudges.nudge(); // the look under way may have been too early for it
    ground.fetch = () => Promise.resolve([7]);
    answer([]);
    await settled();
    expect([...ground.running.keys()]).toEqual([7]);
  });

  it('finds by its poll what a lost nudge was about', async () => {
    ground = new Ground();
    ground.start(1);
    await settled();
    ground.queued = [1];
    await ground.clock.advance(POLL_MS);
    expect([...ground.running.keys()]).toEqual([1]);
  });

  it('looks once and then rests where there is nothing to do', async () => {
    ground = new Ground();
    ground.start(8);
    await ground.clock.advance(POLL_MS - 1);
    expect(ground.looks).toBe(1);
  });

  it('goes on after a look that failed and after a job that failed', async () => {
    ground = new Ground();
    ground.fetch = () => Promise.reject(new Error('away'));
    ground.start(1);
    await settled();
    ground.fetch = (count) => Promise.resolve(ground.queued.splice(0, count));
    ground.queued = [1, 2];
    ground.nudges.nudge();
    await settled();
    await ground.end(1);
    expect([ground.faults, [...ground.running.keys()]]).toEqual([['away'], [2]]);
  });

  it('ends with its jobs, fills no place that is freed, and gives back what was claimed meanwhile', async () => {
    ground = new Ground();
    ground.queued = numbers(5);
    ground.start(2);
    await settled();
    let answer!: (jobs: number[]) => void;
    ground.fetch = () => new Promise((resolve) => (answer = resolve));
    await ground.end(0);
    const stopped = ground.loop.stop();
    answer([2]);
    await settled();
    expect([ground.back, [...ground.running.keys()]]).toEqual([[2], [1]]);
    await ground.end(1);
    await stopped;
    expect(ground.done).toEqual([0, 1]);
  });
});
