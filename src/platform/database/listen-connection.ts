import { Logger } from '@nestjs/common';
import pg from 'pg';

const RECONNECT_MS = 250;

/** One session of its own for what a pool cannot do: LISTEN, and a lock that lives as long as the process. Reconnects by itself. */
export class ListenConnection {
  private readonly logger = new Logger(ListenConnection.name);
  private client: pg.Client | null = null;
  private closed = false;

  /** @param onSession runs on every new session, before it counts as open */
  constructor(private readonly url: string, private readonly onSession: (client: pg.Client) => Promise<void>) {}

  /** Opens the first session; rejects where it cannot. */
  async open(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'taskyard-listen', keepAlive: true });
    client.on('error', () => undefined); // `end` follows and reconnects
    await client.connect();
    client.once('end', () => this.reopen());
    try {
      await this.onSession(client);
    } catch (error) {
      this.closed = true;
      await client.end();
      throw error;
    }
    this.client = client;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
  }

  private reopen(): void {
    this.client = null;
    if (this.closed) return;
    setTimeout(() => {
      this.retry().catch(() => this.reopen());
    }, RECONNECT_MS).unref();
  }

  private async retry(): Promise<void> {
    if (this.closed) return;
    const wasClosed = this.closed;
    try {
      await this.open();
      this.logger.log('the database is back');
    } catch (error) {
      this.closed = wasClosed;
      throw error;
    }
  }
}
