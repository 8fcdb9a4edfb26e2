import type { ChangeHub } from '../platform/database/change-hub.js';
import type { LogChannel, LogEntry, NormalizedEntry, RawEntry } from '../executors/log-entry.js';
import { logDropped, logLines } from '../platform/telemetry/metrics.js';
import { ChunkWriter } from './chunk-writer.js';
import type { Batch, LogRepository, Writer } from './log.repository.js';

const FLUSH_EVERY_MS = 50;
/** Then output does not go on, and what was held back to join it is written. */
const SILENCE_MS = 1_000;
const FLUSH_BYTES = 64 * 1024;
const FLUSH_ENTRIES = 1_000;
/** Above this much unwritten output the source has to wait. */
const BUFFER_BYTES = 1024 * 1024;
/** JSON around the text of an entry. */
const ENTRY_OVERHEAD = 40;

export interface WriterEvents {
  /** Called at each flush for entries that were held back to join lines.
   *  @param goesOn false in a silence and at the end */
  drain: (goesOn: boolean) => NormalizedEntry[];
  /** A stop request was seen while writing. */
  onStop: (force: boolean) => void;
  /** The run is no longer ours, and nothing more is written. */
  onLost: () => void;
}

/** Writes the output of one run in batches, in order, and holds the source back while the database is slow or away. */
export class LogWriter {
  private readonly chunks: ChunkWriter;
  private buffers: Record<'raw' | 'normalized', LogEntry[]> = { raw: [], normalized: [] };
  private bufferedBytes = 0;
  private writtenBytes = 0;
  private dropped = { raw: 0, normalized: 0 };
  private isFull = false;
  private timer: NodeJS.Timeout | null = null;
  private silence: NodeJS.Timeout | null = null;
  private flushedAt = -Infinity;
  private writing: Promise<void> | null = null;
  private isLost = false;

  constructor(
    private readonly writer: Writer,
    logs: LogRepository,
    private readonly hub: ChangeHub,
    private readonly maxBytes: number,
    private readonly events: WriterEvents,
  ) {
    this.chunks = new ChunkWriter(writer, logs);
  }

  raw(entry: RawEntry): void {
    this.keep('raw', entry);
    this.schedule();
    this.awaitSilence();
  }

  normalized(entries: NormalizedEntry[]): void {
    for (const entry of entries) this.keep('normalized', entry);
    if (entries.length > 0) this.schedule();
  }

  /** Resolves when the source may go on. */
  async untilRoom(): Promise<void> {
    if (this.bufferedBytes > BUFFER_BYTES) await this.writing;
  }

  /** Resolves when everything is stored, or the run is lost. */
  async close(): Promise<void> {
    if (this.silence) clearTimeout(this.silence);
    this.drain(false);
    do {
      await this.writing;
      this.start();
    } while (this.writing !== null);
  }

  /** Stops writing for good. */
  abandon(): void {
    this.isLost = true;
    this.chunks.abandon();
  }

  private awaitSilence(): void {
    if (this.silence) return void this.silence.refresh();
    this.silence = setTimeout(() => {
      if (this.isLost) return;
      this.drain(false);
      if (this.hasSomething()) this.schedule();
    }, SILENCE_MS).unref();
  }

  private drain(goesOn: boolean): void {
    for (const entry of this.events.drain(goesOn)) this.keep('normalized', entry);
  }

  private keep(channel: 'raw' | 'normalized', entry: LogEntry): void {
    const bytes = Buffer.byteLength(entry.content) + ENTRY_OVERHEAD;
    if (this.isFull || this.writtenBytes + bytes > this.maxBytes) return this.drop(channel);
    this.buffers[channel].push(entry);
    this.bufferedBytes += bytes;
    this.writtenBytes += bytes;
  }

  /** Writes full chunks and the first output after a silence at once, the rest soon; a write in progress calls this
   *  again at its end. */
  private schedule(): void {
    if (this.writing) return;
    const isWorthIt =
      this.bufferedBytes >= FLUSH_BYTES ||
      this.buffers.raw.length >= FLUSH_ENTRIES ||
      this.buffers.normalized.length >= FLUSH_ENTRIES;
    if (isWorthIt) return this.start();
    const isAfterSilence = this.buffers.raw.length === 1 && performance.now() - this.flushedAt >= FLUSH_EVERY_MS;
    if (isAfterSilence) this.startIn(0);
    else if (this.timer === null) this.startIn(FLUSH_EVERY_MS);
  }

  private startIn(delayMs: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), delayMs);
  }

  /** Drops everything after the first entry beyond the limit, so that the log has no holes, and says so there. */
  private drop(channel: 'raw' | 'normalized'): void {
    if (!this.isFull) {
      this.isFull = true;
      this.buffers.normalized.push({
        type: 'system_message',
        content: `The run wrote more than ${this.maxBytes} bytes; the rest of its output is dropped.`,
        metadata: { kind: 'log_limit' },
      });
    }
    this.dropped[channel] += 1;
  }

  /** One write at a time; what arrives meanwhile goes with the next one. */
  private start(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.writing) return;
    this.drain(true);
    if (this.isLost || !this.hasSomething()) return;
    this.flushedAt = performance.now();
    this.writing = this.write(this.takeAll()).finally(() => {
      this.writing = null;
      if (this.hasSomething()) this.schedule();
    });
  }

  private hasSomething(): boolean {
    return this.buffers.raw.length + this.buffers.normalized.length + this.dropped.raw + this.dropped.normalized > 0;
  }

  private takeAll(): Batch[] {
    const batches = (['raw', 'normalized'] as const).flatMap((channel) => {
      const chunks = batchesOf(channel, this.buffers[channel]);
      return this.dropped[channel] ? [...chunks, { channel, entries: [], dropped: this.dropped[channel] }] : chunks;
    });
    this.buffers = { raw: [], normalized: [] };
    this.dropped = { raw: 0, normalized: 0 };
    this.bufferedBytes = 0;
    return batches;
  }

  private async write(batches: Batch[]): Promise<void> {
    for (const batch of batches) await this.writeBatch(batch);
    this.hub.changed(this.writer.attempt_id);
  }

  private async writeBatch(batch: Batch): Promise<void> {
    if (this.isLost) return;
    const outcome = await this.chunks.write(batch);
    if (outcome === 'lost') this.lose();
    else if (outcome === 'refused') this.dropped[batch.channel as 'raw' | 'normalized'] += batch.entries.length;
    else count(batch);
    if (outcome === 'stop' || outcome === 'force') this.events.onStop(outcome === 'force');
  }

  private lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.events.onLost();
  }
}

function count({ channel, entries, dropped }: Batch): void {
  logLines.inc({ channel }, entries.length);
  logDropped.inc(dropped);
}

/** Entries in order as chunks of at most 1 000 entries and about 64 KB. */
function batchesOf(channel: LogChannel, entries: LogEntry[]): Batch[] {
  const batches: Batch[] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.content);
    if (bytes + size > FLUSH_BYTES || batches.at(-1)!.entries.length >= FLUSH_ENTRIES) {
      batches.push({ channel, entries: [], dropped: 0 });
      bytes = 0;
    }
    batches.at(-1)!.entries.push(entry);
    bytes += size;
  }
  return batches;
}
