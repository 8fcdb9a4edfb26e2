import type { LogChannel, LogEntry } from '../executors/log-entry.js';
import type { Batch } from './log.repository.js';

export const FLUSH_BYTES = 64 * 1024;
export const FLUSH_ENTRIES = 1_000;

/** Entries in order as chunks of at most 1 000 entries and about 64 KB. */
export function batchesOf(channel: LogChannel, entries: LogEntry[]): Batch[] {
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
