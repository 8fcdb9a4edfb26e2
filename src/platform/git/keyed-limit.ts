interface Lane {
  running: number;
  waiting: (() => void)[];
}

/** At most `permits` pieces of work of one key at a time, first come first served, within this process. */
export class KeyedLimit {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly permits = 1) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.enter(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  private enter(key: string): Promise<void> {
    const lane = this.lanes.get(key) ?? { running: 0, waiting: [] };
    this.lanes.set(key, lane);
    if (lane.running < this.permits) {
      lane.running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => lane.waiting.push(resolve));
  }

  /** The permit goes to the next in line, or back. */
  private leave(key: string): void {
    const lane = this.lanes.get(key)!;
    const next = lane.waiting.shift();
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) this.lanes.delete(key);
  }
}
