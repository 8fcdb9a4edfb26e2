import { settledWithin } from '../platform/process/settled-within.js';

/** One request at a time for each key in this process: retries wait here, where they hold no connection of the pool. */
export class KeyTurns {
  private readonly atWork = new Map<string, Promise<unknown>>();

  /** @param work is given the milliseconds that are left of the wait. @returns null when the wait was over first */
  async take<T extends object>(key: string, waitMs: number, work: (leftMs: number) => Promise<T>): Promise<T | null> {
    const deadline = performance.now() + waitMs;
    for (let earlier = this.atWork.get(key); earlier; earlier = this.atWork.get(key)) {
      if (!(await settledWithin(earlier, deadline - performance.now()))) return null;
    }
    const mine = work(Math.max(1, Math.ceil(deadline - performance.now()))).finally(() => this.atWork.delete(key));
    this.atWork.set(key, mine);
    return mine;
  }
}
