import type { Socket } from 'node:net';
import pg from 'pg';
import { LookClock } from './look-clock.js';

/** A database that is frozen or cut off without a word cannot end a statement: then this side gives up. */
export const ANSWER_TIMEOUT_MS = 17_000;
const LOOK_EVERY_MS = 1_000;

/** A connection of a pool that ends itself where the database was asked and says nothing for so long. One timer looks
 *  at all of them: pg's `query_timeout` makes one for each statement, and by way of these V8 takes whatever the
 *  statements returned for long-lived, which is a sixth of the CPU of a list. */
export class AnsweringClient extends pg.Client {
  private static readonly clock = new LookClock(LOOK_EVERY_MS);
  /** Bytes that had been written when nothing was asked any more. */
  private answeredBytes = 0;
  private heardBytes = 0;
  private silentSince = 0;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const isAnswered = () => void (this.answeredBytes = this.socket.bytesWritten);
    this.on('drain', isAnswered);
    this.once('connect', () => {
      isAnswered();
      this.once(
        'end',
        AnsweringClient.clock.join(() => this.look()),
      );
    });
  }

  /** An answer that comes in parts is one; whoever waits for it hears that the connection was terminated. */
  private look(): void {
    const now = performance.now();
    const { bytesRead, bytesWritten } = this.socket;
    const isSilent = bytesWritten !== this.answeredBytes && bytesRead === this.heardBytes;
    if (!isSilent) this.silentSince = now;
    this.heardBytes = bytesRead;
    if (now - this.silentSince > ANSWER_TIMEOUT_MS) this.socket.destroy();
  }

  private get socket(): Socket {
    return this.connection.stream as Socket;
  }
}
