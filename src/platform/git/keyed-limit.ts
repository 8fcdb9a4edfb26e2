/** One piece of work of a key at a time, first come first served, within this process. */
export class KeyedLimit {
  /** Who waits behind the work of a key that runs. */
  private readonly waiting = new Map<string, (() => void)[]>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.enter(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  private enter(key: string): Promise<void> {
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) return new Promise((resolve) => waiting.push(resolve));
    this.waiting.set(key, []);
    return Promise.resolve();
  }

  /** The turn goes to the next in line. */
  private leave(key: string): void {
    const next = this.waiting.get(key)!.shift();
    if (next) next();
    else this.waiting.delete(key);
  }
}
