import type { Clock } from '../platform/context/clock.js';

/** Nudges to look: `next` resolves at once if one came since it was last called. */
export interface Nudges {
  next(): Promise<void>;
  nudge(): void;
  close(): void;
}

export interface JobSource<Job> {
  /** Claims at most `count` jobs; fewer mean that no more are ready. */
  fetch(count: number): Promise<Job[]>;
  handle(job: Job): Promise<void>;
  /** Gives a job back that was claimed while the loop ended. */
  giveBack(job: Job): Promise<void>;
  /** A claim failed; the loop goes on. */
  onFault(error: unknown): void;
}

/** Takes jobs whenever a place is free: at each nudge, at each end of a job, and at least every `pollMs`. */
export class JobLoop<Job> {
  private readonly running = new Set<Promise<void>>();
  private readonly looking: Promise<void>;
  private readonly endPolling: () => void;
  private isStopping = false;

  constructor(
    private readonly source: JobSource<Job>,
    private readonly nudges: Nudges,
    private readonly places: number,
    pollMs: number,
    clock: Clock,
  ) {
    this.endPolling = clock.every(pollMs, () => nudges.nudge());
    this.looking = this.run();
  }

  /** Takes nothing more; what runs goes on. */
  end(): void {
    this.isStopping = true;
    this.nudges.nudge();
  }

  /** Ends the loop and waits for its jobs. */
  async stop(): Promise<void> {
    this.end();
    await this.looking;
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      await this.fill();
      await this.nudges.next();
    }
    this.endPolling();
    this.nudges.close();
  }

  private async fill(): Promise<void> {
    const free = this.places - this.running.size;
    if (free === 0) return;
    try {
      const jobs = await this.source.fetch(free);
      if (this.isStopping) await Promise.all(jobs.map((job) => this.source.giveBack(job)));
      else jobs.forEach((job) => this.start(job));
    } catch (error) {
      this.source.onFault(error);
    }
  }

  /** The end of a job is a nudge: its place is filled again without waiting for anything else. */
  private start(job: Job): void {
    const running = this.source
      .handle(job)
      .catch((error: unknown) => this.source.onFault(error))
      .finally(() => {
        this.running.delete(running);
        this.nudges.nudge();
      });
    this.running.add(running);
  }
}
