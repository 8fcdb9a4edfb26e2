import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { CellProcess, type CellRequest, type Report } from './cell-process.js';
import { markerVariable } from './process-table.mjs';
import { settledWithin } from './settled-within.js';
import { StreamMeeting } from './stream-meeting.js';

const BEAT_MS = 1_000;
/** Looks in a row without an answer, after which the launcher is taken to stand still. */
const SILENT_BEATS = 15;
const ANSWER_MS = 5_000;

/** Of what it says in one line. */
const LONGEST = 64 * 1024;

type Said = Report | { ready: true } | { held: true };

interface Owner {
  heldUntil: () => number | null;
  /** @param stands it did not end but answers nothing any more */
  onEnd: (stands: boolean) => void;
}

/** One connection to a launcher. It ends what it has started with the end of it. */
export class CellConnection {
  private readonly live = new Map<number, CellProcess>();
  private ids = 0;
  private unanswered = 0;
  private text = '';
  private readonly beat: NodeJS.Timeout;

  /** @throws Error where nobody answers at the path, or another server is there */
  static async open(path: string, owner: Owner): Promise<CellConnection> {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw new Error(`nobody listens at ${path} (${(error as NodeJS.ErrnoException).code})`, { cause: error });
    }
    const connection = new CellConnection(socket, await StreamMeeting.open(), owner);
    if (await settledWithin(connection.answered, ANSWER_MS)) return connection;
    socket.destroy();
    throw new Error(`the launcher at ${path} does not answer`);
  }

  /** Settles with its first word; never where it has none. */
  private readonly answered: Promise<void>;
  private greet!: () => void;

  private constructor(
    private readonly socket: Socket,
    private readonly meeting: StreamMeeting,
    private readonly owner: Owner,
  ) {
    this.answered = new Promise((resolve) => (this.greet = resolve));
    socket.setEncoding('utf8').on('data', (chunk: string) => this.read(chunk));
    socket.on('error', () => undefined).once('close', () => this.over());
    this.beat = setInterval(() => this.look(), BEAT_MS).unref();
    socket.unref();
  }

  /** @param streams of standard input, output and error: whether the program is given one there */
  start(request: CellRequest, streams: readonly [boolean, boolean, boolean]): CellProcess {
    const id = ++this.ids;
    const expected = this.meeting.expect(streams);
    const started = new CellProcess(expected, {
      signal: (name) => this.tell({ signal: { id, name } }),
      sweep: () => this.tell({ sweep: { id } }),
      over: () => this.live.delete(id),
    });
    this.live.set(id, started);
    this.tellHeldUntil(); // it may be a new lease
    const env = { ...request.env, [markerVariable]: request.marker };
    this.tell({ start: { id, ...request, env, address: this.meeting.address, streams: expected.names } });
    return started;
  }

  private look(): void {
    this.unanswered += 1;
    if (this.isSilent) this.socket.destroy();
    else this.tellHeldUntil();
  }

  private get isSilent(): boolean {
    return this.unanswered > SILENT_BEATS;
  }

  /** By the clock of the machine, which both containers see. */
  private tellHeldUntil(): void {
    const until = this.owner.heldUntil();
    const machineMs = Number(process.hrtime.bigint() / 1_000_000n);
    this.tell({ held_until: until === null ? null : machineMs + Math.round(until - performance.now()) });
  }

  /** Runs live beside the launcher, so it may have been made to say anything. */
  private read(chunk: string): void {
    const lines = (this.text + chunk).split('\n');
    this.text = lines.pop()!;
    try {
      for (const line of lines) this.hear(JSON.parse(line) as Said);
    } catch {
      this.text = '';
      this.socket.destroy();
    }
    if (this.text.length > LONGEST) this.socket.destroy();
  }

  private hear(report: Said): void {
    this.unanswered = 0;
    if ('id' in report) this.live.get(report.id)?.hear(report);
    else if ('ready' in report) this.greet();
  }

  private tell(message: object): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }

  private over(): void {
    clearInterval(this.beat);
    this.meeting.close();
    for (const one of this.live.values()) one.lose();
    this.owner.onEnd(this.isSilent);
  }
}
