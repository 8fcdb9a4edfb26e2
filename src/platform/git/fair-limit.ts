/** At most `permits` pieces of work at a time, and of one group at most `share` of them, so that a group whose work
 *  hangs leaves places to others. Of the groups that wait, the one with the fewest running goes first. */
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

  /** The longest wait among the groups that hold the least. */
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
