import { Clock } from '../../src/platform/context/clock.js';

interface Alarm {
  at: number;
  everyMs: number | null;
  callback: () => void;
}

/** A clock that moves only when a test says so. */
export class ManualClock extends Clock {
  private time = 0;
  private readonly alarms = new Set<Alarm>();

  override now(): number {
    return this.time;
  }

  override after(ms: number, callback: () => void): () => void {
    return this.add({ at: this.time + ms, everyMs: null, callback });
  }

  override every(ms: number, callback: () => void): () => void {
    return this.add({ at: this.time + ms, everyMs: ms, callback });
  }

  /** Each alarm at its time; what follows from one has happened before the next. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    for (let next = this.next(); next !== undefined && next.at <= until; next = this.next()) {
      this.time = next.at;
      this.ring(next);
      await settled();
    }
    this.time = until;
    await settled();
  }

  /** As after a stall: all that became due rings at once, late. */
  async jump(ms: number): Promise<void> {
    this.time += ms;
    for (const alarm of [...this.alarms].filter(({ at }) => at <= this.time)) this.ring(alarm);
    await settled();
  }

  private add(alarm: Alarm): () => void {
    this.alarms.add(alarm);
    return () => void this.alarms.delete(alarm);
  }

  private next(): Alarm | undefined {
    return [...this.alarms].sort((one, other) => one.at - other.at)[0];
  }

  private ring(alarm: Alarm): void {
    if (!this.alarms.has(alarm)) return; // another one of this moment has cancelled it
    if (alarm.everyMs === null) this.alarms.delete(alarm);
    else alarm.at = this.time + alarm.everyMs;
    alarm.callback();
  }
}

/** Whatever follows from what just happened, without input or output, has happened. */
export async function settled(): Promise<void> {
  for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
}
