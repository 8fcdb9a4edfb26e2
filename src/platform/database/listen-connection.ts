import { Logger } from '@nestjs/common';
import pg from 'pg';
import { Clock } from '../context/clock.js';

const RECONNECT_MS = 250;
const CONNECT_WITHIN_MS = 3_000;
/** Statements of this session take about a millisecond, on a busy machine seconds. A lease must have time left for
 *  another session. */
const ANSWER_WITHIN_MS = 5_000;

/** One session of its own for what a pool cannot do: LISTEN, a lock that lives as long as the process, and a lease
 *  that must not wait for a free connection.
 *  Reconnects by itself. */
export class ListenConnection {
  private readonly logger = new Logger(ListenConnection.name);
  private client: pg.Client | null = null;
  private sessions = 0;
  private isClosed = false;
  private complaint = '';
  private asked: Promise<unknown> = Promise.resolve();

  /** @param onSession runs on every new session, before it counts as open */
  constructor(
    private readonly url: string,
    private readonly onSession: (client: pg.Client) => Promise<void>,
    private readonly clock = new Clock(),
  ) {}

  /** Of the present session; the next one has another. */
  get number(): number {
    return this.sessions;
  }

  /** Opens the first session; rejects where it cannot. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'taskyard-listen',
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', () => undefined); // `end` follows and reconnects
    this.client = client;
    this.sessions += 1;
    try {
      await client.connect();
      await this.answered(client, this.onSession(client));
    } catch (error) {
      void client.end().catch(() => undefined); // a frozen server would not answer the goodbye either
      throw error;
    }
    client.once('end', () => this.reopen());
  }

  /** One statement on this session, which also proves that it is alive: a session that does not answer in time is
   *  replaced, because no changes of other processes would arrive. */
  query<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    const answer = this.asked.then(() => this.ask<T>(sql, values)); // the driver takes one at a time
    this.asked = answer.catch(() => undefined);
    return answer;
  }

  private async ask<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    const client = this.client;
    if (client === null) throw new Error('there is no session with the database');
    return (await this.answered(client, client.query(sql, values))).rows as T[];
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.client?.end().catch(() => undefined); // it is gone already
  }

  private reopen(): void {
    if (this.isClosed) return;
    setTimeout(() => void this.retry(), RECONNECT_MS).unref();
  }

  private async retry(): Promise<void> {
    if (this.isClosed) return;
    try {
      await this.open();
      this.complaint = '';
      this.logger.log('reconnected to the database');
    } catch (error) {
      this.complain((error as Error).message);
      this.reopen();
    }
  }

  /** Once for each new reason, however long it lasts. */
  private complain(reason: string): void {
    if (reason !== this.complaint) this.logger.warn(`cannot reconnect to the database: ${reason}`);
    this.complaint = reason;
  }

  /** Ends the session where no answer comes in time. After a stall of this process answers wait in the socket: they
   *  are read before it is judged. */
  private async answered<T>(client: pg.Client, answer: Promise<T>): Promise<T> {
    let isAnswered = false;
    const judge = () => void (isAnswered || client.connection.stream.destroy());
    const cancel = this.clock.after(ANSWER_WITHIN_MS, () => setImmediate(judge));
    try {
      return await answer;
    } finally {
      isAnswered = true;
      cancel();
    }
  }
}
