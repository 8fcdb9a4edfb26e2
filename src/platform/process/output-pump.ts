import type { Readable } from 'node:stream';
import type { LineReader } from './line-reader.js';
import type { OutputLine, ProcessSpec } from './process-types.js';

/** Reads one stream of a process line by line, and no further while there is no room. */
export class OutputPump {
  /** Settles after the last line; rejects with what its owner threw, and nothing more is read then. */
  readonly done: Promise<void>;
  bytes = 0;
  private waitingSince: number | null = performance.now();

  constructor(
    private readonly source: Readable,
    private readonly reader: LineReader,
    private readonly owner: Pick<ProcessSpec, 'onLine' | 'untilRoom'>,
  ) {
    this.done = this.run();
  }

  /** Milliseconds without a byte; 0 while there is no room, because then bytes may well be there. */
  idleMs(): number {
    return this.waitingSince === null ? 0 : performance.now() - this.waitingSince;
  }

  /** Gives up what was not read; what was read is still delivered. */
  close(): void {
    this.source.destroy();
  }

  private async run(): Promise<void> {
    for await (const chunk of readable(this.source)) {
      this.bytes += chunk.length;
      await this.deliver(this.reader.push(chunk));
    }
    await this.deliver(this.reader.end());
  }

  private async deliver(lines: OutputLine[]): Promise<void> {
    this.waitingSince = null;
    try {
      for (const line of lines) this.owner.onLine(line);
      await this.owner.untilRoom?.();
    } finally {
      this.waitingSince = performance.now();
    }
  }
}

/** A stream that breaks off ends here: what came is all there is. */
async function* readable(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* source as AsyncIterable<Buffer>;
  } catch {
    return; // broken off, by its process or by `close`
  }
}
