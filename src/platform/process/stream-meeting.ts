import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NAME_BYTES = 16;
const NAME_LENGTH = NAME_BYTES * 2;
/** Only a program that is frozen takes as long to start another. */
export const START_MS = 30_000;

/** Streams of one program that somebody else starts for us, by file descriptor. */
export interface ExpectedStreams {
  /** What each has to say first; null for none. */
  names: (string | null)[];
  met: Promise<(Socket | null)[]>;
  /** Nothing more is expected; those that came all the same are closed. */
  giveUp(): void;
}

/** A socket at which the streams of programs arrive that another process starts for this one. */
export class StreamMeeting {
  private readonly expected = new Map<string, (socket: Socket) => void>();

  static async open(): Promise<StreamMeeting> {
    const name = `taskyard-${randomBytes(NAME_BYTES).toString('hex')}`;
    const address = process.platform === 'linux' ? `\0${name}` : path.join(tmpdir(), name);
    const server = createServer().listen(address).unref();
    await once(server, 'listening');
    return new StreamMeeting(address, server);
  }

  private constructor(
    readonly address: string,
    private readonly server: Server,
  ) {
    server.on('connection', (socket) => this.meet(socket));
  }

  /** @param streams whether there is one, by file descriptor */
  expect(streams: readonly boolean[]): ExpectedStreams {
    const names = streams.map((isWanted) => (isWanted ? randomBytes(NAME_BYTES).toString('hex') : null));
    const sockets = names.map((name) => (name === null ? Promise.resolve(null) : this.arrival(name)));
    return {
      names,
      met: Promise.all(sockets),
      giveUp: () => {
        for (const name of names) if (name !== null) this.expected.delete(name);
        for (const socket of sockets) void socket.then((met) => met?.destroy());
      },
    };
  }

  close(): void {
    this.server.close();
  }

  private arrival(name: string): Promise<Socket> {
    return new Promise((resolve) => this.expected.set(name, resolve));
  }

  /** The name is random, so nobody else can come in its place. */
  private meet(socket: Socket): void {
    socket.on('error', () => undefined); // the program may end before it has read everything
    socket.setTimeout(START_MS, () => socket.destroy()); // a stranger that says nothing
    socket.once('readable', () => {
      socket.setTimeout(0);
      const name = (socket.read(NAME_LENGTH) as Buffer | null)?.toString() ?? '';
      const take = this.expected.get(name);
      this.expected.delete(name);
      if (take) take(socket);
      else socket.destroy();
    });
  }
}
