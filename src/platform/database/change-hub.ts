import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Database, type Transaction } from './database.js';

export const CHANGES_CHANNEL = 'taskyard_changes';
const NOTIFY_EVERY_MS = 100;
const POLL_MS = 2_000;
/** A payload holds 8 000 bytes; with more keys than this, every waiter looks. */
const MAX_KEYS = 150;

/** Wakes whoever waits for a record to change: in this process at once, in others by at most one NOTIFY per 100 ms. A
 *  wake-up is only a nudge: waiters read the database, and look every 2 s anyway. */
@Injectable()
export class ChangeHub implements BeforeApplicationShutdown {
  private readonly origin = randomUUID();
  private readonly waiters = new Map<string, Set<() => void>>();
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private notifiedAt = -Infinity;
  private isClosed = false;
  private readonly followers = new Set<(key: string | null) => void>();
  private sessions = 0;

  constructor(private readonly database: Database) {}

  /** Says that the record behind `key` changed; inside a transaction once it is committed. A key holds no space or
   *  comma. */
  changed(key: string): void {
    this.database.afterCommit(() => {
      this.wake(key);
      this.pending.add(key);
      const sinceLastMs = performance.now() - this.notifiedAt;
      this.timer ??= setTimeout(() => this.notifyOthers(), Math.max(0, NOTIFY_EVERY_MS - sinceLastMs)).unref();
    });
  }

  /** The same inside the transaction, for changes that must not wait for a poll. */
  async announce(_tx: Transaction, key: string): Promise<void> {
    await this.database.query('SELECT pg_notify($1, $2)', [CHANGES_CHANNEL, `${this.origin} ${key}`]);
    this.database.afterCommit(() => this.wake(key));
  }

  /** Calls back for every change, with null where any number of them may have been missed. */
  follow(listener: (key: string | null) => void): void {
    this.followers.add(listener);
  }

  /** Whether changes of other processes arrive at present. */
  get isListening(): boolean {
    return this.sessions > 0;
  }

  /** Asks `check` now, at every change of `key` (or of one of several) and every 2 s, until it answers or the time is
   *  over (then null). Holds no connection. */
  async waitFor<T>(
    key: string | readonly string[],
    timeoutMs: number,
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const deadline = performance.now() + timeoutMs;
    const subscription = this.subscribe(...[key].flat());
    try {
      for (;;) {
        const found = await check();
        const left = deadline - performance.now();
        if (found !== null || left <= 0 || this.isClosed) return found;
        await subscription.next(Math.min(left, POLL_MS));
      }
    } finally {
      subscription.close();
    }
  }

  /** A change between two calls of `next` is not lost: the next call then answers at once. `nudge` wakes this one
   *  alone. */
  subscribe(...keys: string[]): { next(timeoutMs?: number): Promise<void>; nudge(): void; close(): void } {
    let dirty = false;
    let resolve: (() => void) | null = null;
    const wake = () => {
      dirty = true;
      resolve?.();
    };
    for (const key of keys) this.waiters.set(key, (this.waiters.get(key) ?? new Set()).add(wake));
    return {
      next: async (timeoutMs) => {
        if (!dirty) {
          await new Promise<void>((done) => {
            const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
            resolve = () => {
              clearTimeout(timer);
              done();
            };
          });
        }
        dirty = false;
        resolve = null;
      },
      nudge: wake,
      close: () => {
        for (const key of keys) {
          this.waiters.get(key)?.delete(wake);
          if (this.waiters.get(key)?.size === 0) this.waiters.delete(key);
        }
      },
    };
  }

  /** Joins a session to the channel. */
  async listen(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload = '' }) => this.heard(payload));
    await client.query(`LISTEN ${CHANGES_CHANNEL}`);
    this.sessions += 1;
    client.once('end', () => (this.sessions -= 1));
    this.wakeAll();
  }

  /** Waiters answer with what they have, so that nobody holds up the end of the server. */
  beforeApplicationShutdown(): void {
    this.isClosed = true;
    this.wakeAll();
  }

  get isClosing(): boolean {
    return this.isClosed;
  }

  private heard(payload: string): void {
    const [origin, keys] = payload.split(' ', 2);
    if (origin === this.origin) return;
    if (keys === '*') this.wakeAll();
    else keys?.split(',').forEach((key) => this.wake(key));
  }

  private wake(key: string): void {
    this.waiters.get(key)?.forEach((wake) => wake());
    this.followers.forEach((listener) => listener(key));
  }

  private wakeAll(): void {
    for (const set of this.waiters.values()) set.forEach((wake) => wake());
    this.followers.forEach((listener) => listener(null));
  }

  private notifyOthers(): void {
    this.timer = null;
    this.notifiedAt = performance.now();
    const keys = this.pending.size > MAX_KEYS ? '*' : [...this.pending].join(',');
    this.pending.clear();
    // the poll is the guarantee
    this.database.query('SELECT pg_notify($1, $2)', [CHANGES_CHANNEL, `${this.origin} ${keys}`]).catch(() => undefined);
  }
}
