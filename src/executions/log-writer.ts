import type { ChangeHub } from '../platform/database/change-hub.js';
import type { LogChannel, LogEntry, NormalizedEntry, RawEntry } from '../executors/log-entry.js';
import type { Batch, LogRepository, Writer } from './log.repository.js';

const FLUSH_EVERY_MS = 50;
const FLUSH_BYTES = 64 * 1024;
const FLUSH_ENTRIES = 1_000;
/** More than this unwritten holds the source back. */
const BUFFER_BYTES = 1024 * 1024;
const RETRY_MS = 250;
/** JSON around the text of an entry. */
const ENTRY_OVERHEAD = 40;

export interface WriterEvents {
  /** Called at each flush for entries that were held back to join lines. */
  drain: () => NormalizedEntry[];
  /** A stop was asked for, seen while writing. */
  onStop: (force: boolean) => void;
  /** The run is no longer ours: nothing more is written. */
  onLost: () => void;
}

/** Writes the output of one run in batches, in order, and holds the source back while the database is slow or away. */
export class LogWriter {
  private buffers: Record<'raw' | 'normalized', LogEntry[]> = { raw: [], normalized: [] };
  private bufferedBytes = 0;
  private writtenBytes = 0;
  private dropped = { raw: 0, normalized: 0 };
  private hasDropped = false;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private isLost = false;

  constructor(private readonly writer: Writer, private readonly logs: LogRepository, private readonly hub: ChangeHub, private readonly maxBytes: number, private readonly events: WriterEvents) {}

  /** @returns a promise where the source should wait */
  raw(entry: RawEntry): void | Promise<void> {
    return this.add('raw', entry);
  }

  normalized(entries: NormalizedEntry[]): void | Promise<void> {
    let wait: void | Promise<void> = undefined;
    for (const entry of entries) wait = this.add('normalized', entry);
    return wait;
  }

  /** Everything that was said so far is stored, or the run is lost. */
  async close(): Promise<void> {
    do {
      await this.writing;
      this.start();
    } while (this.writing !== null);
  }

  /** Stops writing for good. */
  abandon(): void {
    this.isLost = true;
  }

  private add(channel: 'raw' | 'normalized', entry: LogEntry): void | Promise<void> {
    const bytes = entry.content.length + ENTRY_OVERHEAD;
    if (this.isOverLimit(bytes)) this.drop(channel);
    else {
      this.buffers[channel].push(entry);
      this.bufferedBytes += bytes;
      this.writtenBytes += bytes;
    }
    this.schedule();
    return this.bufferedBytes > BUFFER_BYTES && this.writing ? this.writing : undefined;
  }

  /** Writes at once what fills a chunk, the rest soon; while a write runs, its end comes back here. */
  private schedule(): void {
    if (this.writing) return;
    const isFull = this.bufferedBytes >= FLUSH_BYTES || this.buffers.raw.length >= FLUSH_ENTRIES || this.buffers.normalized.length >= FLUSH_ENTRIES;
    if (isFull) this.start();
    else this.timer ??= setTimeout(() => this.start(), FLUSH_EVERY_MS);
  }

  private isOverLimit(bytes: number): boolean {
    return this.writtenBytes + bytes > this.maxBytes;
  }

  /** The first dropped entry says so, in its place. */
  private drop(channel: 'raw' | 'normalized'): void {
    if (!this.hasDropped) {
      this.hasDropped = true;
      this.buffers.normalized.push({ type: 'system_message', content: `The run wrote more than ${this.maxBytes} bytes; what follows is not kept.`, metadata: { kind: 'log_limit' } });
    }
    this.dropped[channel] += 1;
  }

  /** One write at a time; what arrives meanwhile goes with the next one. */
  private start(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.writing) return;
    this.buffers.normalized.push(...this.events.drain());
    if (this.isLost || !this.hasSomething()) return;
    this.writing = this.write(this.take()).finally(() => {
      this.writing = null;
      if (this.hasSomething()) this.schedule();
    });
  }

  private hasSomething(): boolean {
    return this.buffers.raw.length + this.buffers.normalized.length + this.dropped.raw + this.dropped.normalized > 0;
  }

  private take(): Batch[] {
    const batches = (['raw', 'normalized'] as const).flatMap((channel) => {
      const chunks = batchesOf(channel, this.buffers[channel]);
      return this.dropped[channel] ? [...chunks, { channel, entries: [], dropped: this.dropped[channel] }] : chunks;
    });
    this.buffers = { raw: [], normalized: [] };
    this.dropped = { raw: 0, normalized: 0 };
    this.bufferedBytes = 0;
    return batches;
  }

  /** Repeats until the database takes it, or the run is lost (its lease runs out while the database is away). */
  private async write(batches: Batch[]): Promise<void> {
    for (const batch of batches) await this.writeBatch(batch);
    this.hub.changed(this.writer.attempt_id);
  }

  private async writeBatch(batch: Batch): Promise<void> {
    while (!this.isLost) {
      try {
        const seen = await this.logs.append(this.writer, [batch]);
        if (seen === null) this.lose();
        else if (seen.stop) this.events.onStop(seen.force);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  private lose(): void {
    this.isLost = true;
    this.events.onLost();
  }
}

/** Chunks of at most 1 000 entries and about 64 KB. */
function batchesOf(channel: LogChannel, entries: LogEntry[]): Batch[] {
  const batches: Batch[] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    if (bytes + entry.content.length > FLUSH_BYTES || batches.at(-1)!.entries.length >= FLUSH_ENTRIES) {
      batches.push({ channel, entries: [], dropped: 0 });
      bytes = 0;
    }
    batches.at(-1)!.entries.push(entry);
    bytes += entry.content.length;
  }
  return batches;
}
