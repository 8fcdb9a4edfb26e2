import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Sees every agent that lives, from outside: each holds a connection to it for as long. */
export class Witness {
  private readonly server = createServer((socket) => this.meet(socket));
  private readonly present = new Map<string, Set<Socket>>();
  private readonly met = new Map<string, number>();
  /** Runs of which two agents lived at the same time. */
  readonly doubled = new Set<string>();

  static async open(): Promise<Witness> {
    const witness = new Witness();
    witness.server.listen(0, '127.0.0.1');
    await once(witness.server, 'listening');
    return witness;
  }

  /** A command of bash: whatever follows it lives under the eyes of the witness. */
  holdOn(key: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `exec 9<>/dev/tcp/127.0.0.1/${port}; echo ${key} >&9; read -r _ <&9`;
  }

  living(key: string): number {
    return this.present.get(key)?.size ?? 0;
  }

  /** How often an agent of the run was started. */
  starts(key: string): number {
    return this.met.get(key) ?? 0;
  }

  get left(): string[] {
    return [...this.present].filter(([, sockets]) => sockets.size > 0).map(([key]) => key);
  }

  close(): void {
    for (const sockets of this.present.values()) sockets.forEach((socket) => socket.destroy());
    this.server.close();
  }

  private meet(socket: Socket): void {
    socket.on('error', () => socket.destroy()); // the agent was killed
    socket.setEncoding('utf8').once('data', (line: string) => {
      const key = line.trim();
      const beside = this.present.get(key) ?? new Set();
      if (beside.size > 0) this.doubled.add(key);
      this.present.set(key, beside.add(socket));
      this.met.set(key, this.starts(key) + 1);
      socket.once('close', () => beside.delete(socket));
      socket.write('seen\n');
    });
  }
}
