import type { Clock } from '../platform/context/clock.js';

const RENEW_EVERY_MS = 2_000;
const RETRY_MS = 500;
/** A second less than the database's lease, so that a run ends before anyone takes its place. */
export const GIVE_UP_AFTER_MS = 9_000;

/** Renews a lease, one renewal at a time, and aborts once it is gone or could not be renewed in time, by a clock that
 *  never jumps. */
export class LeaseWatch {
  private readonly controller = new AbortController();
  private renewedAt: number;
  private cancelRenewal: () => void;
  private cancelDeadline: () => void = () => undefined;
  private isClosed = false;

  /** @param renew answers false where the claim is gone; rejects where the database cannot be asked
   *  @param expires false for a process that is alone: whatever it sleeps, nobody takes its place */
  constructor(
    private readonly renew: () => Promise<boolean>,
    private readonly clock: Clock,
    private readonly expires: boolean,
  ) {
    this.renewedAt = clock.now();
    this.cancelRenewal = clock.after(RENEW_EVERY_MS, () => void this.tick());
    if (expires) this.awaitDeadline();
  }

  get lost(): AbortSignal {
    return this.controller.signal;
  }

  /** By the clock, unless it is renewed; null for ever. */
  get heldUntil(): number | null {
    return this.expires ? this.renewedAt + GIVE_UP_AFTER_MS : null;
  }

  close(): void {
    this.isClosed = true;
    this.cancelRenewal();
    this.cancelDeadline();
  }

  private async tick(): Promise<void> {
    const askedAt = this.clock.now();
    const answer = await this.renew().catch(() => null); // not renewed; the deadline stands
    if (this.isOver) return;
    if (answer === false) return this.abort('another runner took over');
    if (answer) this.renewedAt = askedAt; // the database heard of it then or later
    const pauseMs = (answer ? RENEW_EVERY_MS : RETRY_MS) - (this.clock.now() - askedAt);
    this.cancelRenewal = this.clock.after(Math.max(0, pauseMs), () => void this.tick());
  }

  /** After a stall timers run before the answers that wait in the sockets: those are read first. */
  private awaitDeadline(): void {
    const leftMs = this.renewedAt + GIVE_UP_AFTER_MS - this.clock.now();
    this.cancelDeadline = this.clock.after(leftMs, () => setImmediate(() => this.judge()));
  }

  private judge(): void {
    if (this.isOver) return;
    if (this.clock.now() - this.renewedAt < GIVE_UP_AFTER_MS) this.awaitDeadline();
    else this.abort('the lease could not be renewed');
  }

  private get isOver(): boolean {
    return this.isClosed || this.lost.aborted;
  }

  private abort(reason: string): void {
    this.close();
    this.controller.abort(new Error(reason));
  }
}
