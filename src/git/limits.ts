/** How much of one kind of work goes on at a time. */
/** Runs one piece of work per key at a time, first come first served, within this process. */
export class KeyedLimit {
  /** Waiters by key. */
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

  /** Lets the next in line run. */
  private leave(key: string): void {
    const next = this.waiting.get(key)!.shift();
    if (next) next();
    else this.waiting.delete(key);
  }
}

/** Runs at most `permits` pieces of work at a time, and at most `share` per group, so that a group that hangs leaves
 *  permits to others. The waiting group with the fewest running goes first. */
export class FairLimit {
  private readonly running = new Map<string, number>();
  private waiting: { group: string; start: () => void }[] = [];
  private free: number;

  constructor(
    permits: number,
    private readonly share: number,
  ) {
    this.free = permits;
  }

  async run<T>(group: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.waiting.push({ group, start });
      this.fill();
    });
    try {
      return await work();
    } finally {
      this.leave(group);
    }
  }

  private fill(): void {
    while (this.free > 0) {
      const next = this.next();
      if (next === null) return;
      this.waiting = this.waiting.filter((one) => one !== next);
      this.free -= 1;
      this.running.set(next.group, this.of(next.group) + 1);
      next.start();
    }
  }

  /** The longest waiter among the groups that run the least. */
  private next(): { group: string; start: () => void } | null {
    const ready = this.waiting.filter(({ group }) => this.of(group) < this.share);
    const least = Math.min(...ready.map(({ group }) => this.of(group)));
    return ready.find(({ group }) => this.of(group) === least) ?? null;
  }

  private of(group: string): number {
    return this.running.get(group) ?? 0;
  }

  private leave(group: string): void {
    this.free += 1;
    const left = this.of(group) - 1;
    if (left === 0) this.running.delete(group);
    else this.running.set(group, left);
    this.fill();
  }
}
