import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Holds scripts at a place until a test lets them go on: over the network, which a run shares with the test whatever
 *  else is hidden from it. */
export class Gates {
  private readonly server = createServer((socket) => this.admit(socket));
  private readonly visitors = new Map<Socket, string>();
  private readonly opened = new Set<string>();

  async listen(): Promise<void> {
    if (this.server.listening) return;
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** `wait` is a command of bash that lasts until `open` is called. */
  gate(): { wait: string; open: () => void } {
    const id = randomUUID();
    const { port } = this.server.address() as AddressInfo;
    return {
      wait: `{ exec 9<>/dev/tcp/127.0.0.1/${port}; echo ${id} >&9; read -r _ <&9; exec 9>&-; }`,
      open: () => this.open(id),
    };
  }

  close(): void {
    for (const socket of this.visitors.keys()) socket.destroy();
    this.server.close();
  }

  private admit(socket: Socket): void {
    socket.on('error', () => socket.destroy()); // the script was killed
    socket.on('close', () => this.visitors.delete(socket));
    socket.setEncoding('utf8').once('data', (line: string) => {
      this.visitors.set(socket, line.trim());
      this.letPass();
    });
  }

  private open(id: string): void {
    this.opened.add(id);
    this.letPass();
  }

  private letPass(): void {
    for (const [socket, id] of this.visitors) if (this.opened.has(id)) socket.end();
  }
}
