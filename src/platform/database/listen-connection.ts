import { Logger } from '@nestjs/common';
import pg from 'pg';

const RECONNECT_MS = 250;
const CONNECT_WITHIN_MS = 3_000;
/** What the session is asked for takes a millisecond. */
const ANSWER_WITHIN_MS = 3_000;

/** One session of its own for what a pool cannot do: LISTEN, a lock that lives as long as the process, and a lease
 *  that must not wait for a free connection.
 *  Reconnects by itself. */
export class ListenConnection {
  private readonly logger = new Logger(ListenConnection.name);
  private client: pg.Client | null = null;
  private isClosed = false;
  private complaint = '';
  private asked: Promise<unknown> = Promise.resolve();

  /** @param onSession runs on every new session, before it counts as open */
  constructor(
    private readonly url: string,
    private readonly onSession: (client: pg.Client) => Promise<void>,
  ) {}

  /** Opens the first session; rejects where it cannot. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'taskyard-listen',
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', () => undefined); // `end` follows and reconnects
    this.client = client;
    try {
      await client.connect();
      await this.onSession(client);
    } catch (error) {
      void client.end().catch(() => undefined); // of a server that is frozen the goodbye would not be answered either
      throw error;
    }
    client.once('end', () => this.reopen());
  }

  /** One statement on this session. It also shows that the session still stands: one that does not answer in time is
   *  replaced, for without it changes of other processes would not be heard. */
  query<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    const answer = this.asked.then(() => this.ask<T>(sql, values)); // the driver takes one at a time
    this.asked = answer.catch(() => undefined);
    return answer;
  }

  private async ask<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    const client = this.client;
    if (client === null) throw new Error('there is no session with the database');
    try {
      return (await client.query(sql, values)).rows as T[];
    } catch (error) {
      if ((error as Error).message === 'Query read timeout') client.connection.stream.destroy();
      throw error;
    }
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
}
