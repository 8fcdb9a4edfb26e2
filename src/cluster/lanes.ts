import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from '../platform/database/database.js';
import { ListenConnection } from '../platform/database/listen-connection.js';
import { AppError } from '../platform/errors/app-error.js';

/** There is no notification when another process leaves a lane. */
const ASK_AGAIN_MS = 100;

const KEY = "hashtextextended('lane ' || $1, 0)";
const ENTER = `SELECT pg_try_advisory_lock(${KEY}) AS is_mine, pg_backend_pid() AS session`;
const LEAVE = `SELECT pg_advisory_unlock(${KEY})`;
const FIND_SESSION = 'SELECT pg_backend_pid() AS session';
const KEEP_FREE = `SELECT pg_try_advisory_xact_lock_shared(${KEY}) AS is_free`;
/** The session of a dead machine ends after 25 s, and releases its locks. */
const KEEPALIVES = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3';

/** One piece of work per key at a time, across all processes of the database, without an open transaction. One session,
 *  opened with the first lane, holds all lanes of this process and releases them when it ends. */
export class Lanes {
  private readonly session: ListenConnection;
  private opened: Promise<void> | null = null;
  /** The last in line of each key, within this process. */
  private readonly last = new Map<string, Promise<unknown>>();
  /** The session in which each lane of this process was entered. */
  private readonly held = new Map<string, number>();

  constructor(
    url: string,
    private readonly database: Database,
  ) {
    this.session = new ListenConnection(url, async (client) => void (await client.query(KEEPALIVES)));
  }

  /** Waits until nobody else is in the lane; within this process first come, first served.
   *  @throws AppError database_unavailable */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.inLine(key, async () => {
      let session = await this.enter(key);
      for (; session === null; session = await this.enter(key)) await delay(ASK_AGAIN_MS);
      return this.inside(key, session, work);
    });
  }

  /** @returns null if somebody else is in the lane. @throws AppError database_unavailable */
  async tryRun<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    if (this.last.has(key)) return null;
    return this.inLine(key, async () => {
      const session = await this.enter(key);
      return session === null ? null : this.inside(key, session, work);
    });
  }

  /** Checked before every irreversible step, because a lane is lost with its session.
   *  @throws AppError database_unavailable */
  async requireHeld(key: string): Promise<void> {
    const [row] = await this.ask<{ session: number }>(FIND_SESSION, []);
    if (row!.session !== this.held.get(key)) throw new AppError('database_unavailable');
  }

  /** Keeps everybody out until the end of the transaction. @returns false if somebody is in the lane */
  async keepFree(_tx: Transaction, key: string): Promise<boolean> {
    const [row] = await this.database.query<{ is_free: boolean }>(KEEP_FREE, [key]);
    return row!.is_free;
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  private inLine<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(work);
    const over = turn.catch(() => undefined).finally(() => this.last.get(key) === over && this.last.delete(key));
    this.last.set(key, over);
    return turn;
  }

  /** @returns the session that has the lane now, or null */
  private async enter(key: string): Promise<number | null> {
    this.opened ??= this.session.open().catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    await this.opened.catch(refuse);
    const [row] = await this.ask<{ is_mine: boolean; session: number }>(ENTER, [key]);
    return row!.is_mine ? row!.session : null;
  }

  private async inside<T>(key: string, session: number, work: () => Promise<T>): Promise<T> {
    this.held.set(key, session);
    try {
      return await work();
    } finally {
      this.held.delete(key);
      await this.session.query(LEAVE, [key]).catch(() => undefined); // then its session is gone, and the lane is free
    }
  }

  private ask<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    return this.session.query<T>(sql, values).catch(refuse);
  }
}

function refuse(): never {
  throw new AppError('database_unavailable');
}
