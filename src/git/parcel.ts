import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Git } from './git.js';

/** Of what is said before the objects. */
const MAX_HEADER_BYTES = 1024 * 1024;
const END = '\n\n';
const TIMEOUT_MS = 15 * 60_000;

/** What a git behind walls hands out: lines, an empty line and, if there is anything new, a pack of objects, which the
 *  store takes in as a fetch would, checked object by object. */
export class Parcel {
  readonly sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => this.read(chunk, done),
    final: (done) => this.conclude(done),
  });
  private said = Buffer.alloc(0);
  private isRead = false;
  private objects: PassThrough | null = null;
  private taken: Promise<unknown> = Promise.resolve();

  /** @param maxBytes of the pack */
  constructor(
    private readonly git: Git,
    private readonly store: string,
    private readonly maxBytes: number,
  ) {
    this.sink.on('error', () => this.objects?.destroy());
  }

  /** Waits for the end. @returns the lines. @throws GitError where the objects are not as they should be */
  async opened(): Promise<string[]> {
    await finished(this.sink);
    return this.said.toString('utf8').split('\n').filter(Boolean);
  }

  private read(chunk: Buffer, done: (error?: Error | null) => void): void {
    if (this.isRead) return this.take(chunk, done);
    const said = Buffer.concat([this.said, chunk]);
    const end = said.indexOf(END);
    this.isRead = end >= 0;
    this.said = this.isRead ? said.subarray(0, end) : said;
    if (this.said.length > MAX_HEADER_BYTES) return done(new Error('git said too much'));
    const rest = this.isRead ? said.subarray(end + END.length) : Buffer.alloc(0);
    if (rest.length > 0) this.take(rest, done);
    else done();
  }

  private conclude(done: (error?: Error | null) => void): void {
    this.objects?.end();
    this.taken.then(() => done(), done);
  }

  private take(chunk: Buffer, done: (error?: Error | null) => void): void {
    this.objects ??= this.begin();
    this.objects.write(chunk, done);
  }

  private begin(): PassThrough {
    const objects = new PassThrough();
    const args = ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${this.maxBytes}`];
    this.taken = this.git.feed(this.store, args, objects, { timeoutMs: TIMEOUT_MS });
    this.taken.catch((error: unknown) => this.sink.destroy(error as Error));
    return objects;
  }
}
