import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

/** By then the database has done what it was told. */
const ANSWERED_AFTER_MS = 200;

/** A TCP line to the database that can break: in one moment, or in the other direction only. */
export class FragileLine {
  private readonly pairs = new Set<{ near: Socket; far: Socket }>();
  private target: NetConnectOpts = { host: '127.0.0.1', port: 0 };
  private isCut = false;
  private isHeld = false;
  private losesAnswers = false;
  private lostAnswer: string | null = null;

  private constructor(private readonly server: Server) {
    server.on('connection', (near) => this.join(near));
  }

  static async open(): Promise<FragileLine> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FragileLine(server);
  }

  addressFor(url: string): string {
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String((this.server.address() as AddressInfo).port);
    return address.href;
  }

  lead(url: string): void {
    const { hostname, port } = new URL(url);
    const host = decodeURIComponent(hostname);
    this.target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
  }

  /** Every connection breaks, and new ones break at once. */
  cut(): void {
    this.isCut = true;
    for (const { near, far } of this.pairs) [near, far].forEach((end) => end.destroy());
  }

  /** Nothing passes in either direction, and no connection breaks: what is sent arrives once it is healed. */
  hold(): void {
    this.isHeld = true;
    for (const { near, far } of this.pairs) [near, far].forEach((end) => end.pause());
  }

  /** From now on the database hears everything, and nobody hears the database. */
  loseAnswers(): void {
    this.losesAnswers = true;
  }

  /** The next statement that holds the text reaches the database; then its connection breaks, before anything
   *  comes back. */
  loseAnswerTo(text: string): void {
    this.lostAnswer = text;
  }

  heal(): void {
    this.isCut = false;
    this.isHeld = false;
    for (const { near, far } of this.pairs) [near, far].forEach((end) => end.resume());
    this.losesAnswers = false;
    this.lostAnswer = null;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    if (this.isCut) return void near.destroy();
    const far = connect(this.target);
    const pair = { near, far };
    this.pairs.add(pair);
    let isLost = false;
    near.on('data', (data) => {
      far.write(data);
      if (this.lostAnswer === null || !data.includes(this.lostAnswer)) return;
      isLost = true;
      this.lostAnswer = null;
      setTimeout(() => near.destroy(), ANSWERED_AFTER_MS);
    });
    far.on('data', (data) => {
      if (!this.losesAnswers && !isLost) near.write(data);
    });
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      if (this.isHeld) end.pause();
      end.on('error', () => undefined);
      end.on('close', () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
  }
}
