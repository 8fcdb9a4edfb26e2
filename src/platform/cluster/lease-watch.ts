const RENEW_EVERY_MS = 2_000;
const CHECK_EVERY_MS = 500;
/** Shorter than the heartbeat of the queue, so that a run ends before anyone takes its place. */
export const GIVE_UP_AFTER_MS = 8_000;

/** Renews a lease and aborts once it is gone or could not be renewed for 8 s, by a clock that never jumps. */
export class LeaseWatch {
  private readonly controller = new AbortController();
  private renewedAt = performance.now();
  private readonly timers: NodeJS.Timeout[];

  /** @param renew answers false where the claim is gone; rejects where the queue cannot be asked */
  constructor(private readonly renew: () => Promise<boolean>) {
    this.timers = [
      setInterval(() => void this.tick(), RENEW_EVERY_MS),
      setInterval(() => this.check(), CHECK_EVERY_MS),
    ];
  }

  get lost(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: string): void {
    this.controller.abort(new Error(reason));
  }

  close(): void {
    this.timers.forEach(clearInterval);
  }

  private async tick(): Promise<void> {
    const askedAt = performance.now();
    try {
      if (await this.renew())
        this.renewedAt = Math.max(this.renewedAt, askedAt); // answers may overtake each other
      else this.abort('another runner took over');
    } catch {
      // not renewed; check() counts the time
    }
  }

  private check(): void {
    if (performance.now() - this.renewedAt > GIVE_UP_AFTER_MS) this.abort('the lease could not be renewed');
  }
}
