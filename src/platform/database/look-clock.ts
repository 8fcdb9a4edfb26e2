/** Wakes all waiters together: one timer, and look-ups that share statements. */
export class LookClock {
  private readonly waiting = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly everyMs: number) {}

  /** @returns how to leave */
  join(wake: () => void): () => void {
    this.waiting.add(wake);
    this.timer ??= setInterval(() => this.waiting.forEach((one) => one()), this.everyMs).unref();
    return () => this.part(wake);
  }

  private part(wake: () => void): void {
    this.waiting.delete(wake);
    if (this.waiting.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
