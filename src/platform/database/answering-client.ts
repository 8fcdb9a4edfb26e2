import type { Socket } from 'node:net';
import pg from 'pg';
import { LookClock } from './look-clock.js';

/** A database that is frozen or unreachable cannot end a statement itself: this side gives up. */
export const ANSWER_TIMEOUT_MS = 17_000;
const LOOK_EVERY_MS = 1_000;

/** A pooled connection that ends itself if the database does not answer for so long. One timer serves all of them: pg's
 *  `query_timeout` makes a timer for each statement, which keeps results alive longer and costs a sixth of the CPU of a
 *  list. */
export class AnsweringClient extends pg.Client {
  private static readonly clock = new LookClock(LOOK_EVERY_MS);
  /** Bytes written when the last statement had been answered. */
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

  /** Any bytes count as an answer; whoever waits is told that the connection was terminated. */
  private look(): void {
    const now = performance.now();
    const { bytesRead, bytesWritten } = this.socket;
    const isSilent = bytesWritten !== this.answeredBytes && bytesRead === this.heardBytes;
    if (!isSilent) this.silentSince = now;
    this.heardBytes = bytesRead;
    if (now - this.silentSince > ANSWER_TIMEOUT_MS) setImmediate(() => this.endIfStillSilent());
  }

  /** After a stall of this process timers run before the answers that wait in the sockets: those are read first. */
  private endIfStillSilent(): void {
    if (this.socket.bytesRead === this.heardBytes) this.socket.destroy();
  }

  private get socket(): Socket {
    return this.connection.stream as Socket;
  }
}
