import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { LogChannel } from '../executors/log-entry.js';
import { type LogChunk, LogRepository } from './log.repository.js';
import type { LogEntryOutput } from './log.dto.js';

/** Bytes of one answer, whatever limit says. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface LogRange {
  entries: LogEntryOutput[];
  next_index: number;
  isTruncated: boolean;
}

interface Wanted {
  attempt_id: string;
  channel: LogChannel;
  limit: number;
  after: number;
}

/** Entries are numbered without gaps, so a page is a range of indexes. */
@Injectable()
export class LogReader {
  /** Equal reads in one turn of the event loop share a statement, such as those of many streams of an attempt. */
  private readonly ranges: DataLoader<Wanted, LogRange, string> = new DataLoader(
    (wanted) => {
      this.ranges.clearAll(); // later reads ask again, so that a read sees what was committed before it began
      return Promise.all(wanted.map((one) => this.readAfter(one).catch((error: Error) => error)));
    },
    {
      batchScheduleFn: setImmediate,
      cacheKeyFn: ({ attempt_id, channel, limit, after }) => [attempt_id, channel, limit, after].join(' '),
    },
  );

  constructor(private readonly logs: LogRepository) {}

  /** The newest `limit` entries below `before` (default: the end), in chronological order. */
  async tail(attempt_id: string, channel: LogChannel, limit: number, before?: number): Promise<LogRange> {
    const head = await this.logs.findHead(attempt_id, channel);
    const end = Math.min(before ?? head.next_index, head.next_index);
    const entries = await this.read(attempt_id, channel, Math.max(0, end - limit), end - 1, 'newest');
    return { entries, next_index: head.next_index, isTruncated: head.dropped_entries > 0 };
  }

  /** The first `limit` entries above `after`, in chronological order. */
  after(attempt_id: string, channel: LogChannel, limit: number, after: number): Promise<Readonly<LogRange>> {
    return this.ranges.load({ attempt_id, channel, limit, after });
  }

  private async readAfter({ attempt_id, channel, limit, after }: Wanted): Promise<LogRange> {
    const head = await this.logs.findHead(attempt_id, channel);
    const entries = await this.read(
      attempt_id,
      channel,
      after + 1,
      Math.min(after + limit, head.next_index - 1),
      'oldest',
    );
    return { entries, next_index: head.next_index, isTruncated: head.dropped_entries > 0 };
  }

  /** Entries of [from, to] from one end, until the answer is full. */
  private async read(
    attempt_id: string,
    channel: LogChannel,
    from: number,
    to: number,
    order: 'oldest' | 'newest',
  ): Promise<LogEntryOutput[]> {
    const found: LogEntryOutput[] = [];
    let bytes = 0;
    while (from <= to) {
      const chunks = await this.logs.listChunks(attempt_id, channel, from, to, order);
      const rows = chunks.flatMap((chunk) =>
        order === 'oldest' ? entriesOf(chunk, from, to) : entriesOf(chunk, from, to).reverse(),
      );
      if (rows.length === 0) break;
      for (const row of rows) {
        bytes += Buffer.byteLength(JSON.stringify(row.entry));
        if (bytes > MAX_ANSWER_BYTES && found.length > 0) return inOrder(found, order);
        found.push(row);
      }
      if (order === 'oldest') from = found.at(-1)!.entry_index + 1;
      else to = found.at(-1)!.entry_index - 1;
    }
    return inOrder(found, order);
  }
}

const inOrder = (entries: LogEntryOutput[], order: 'oldest' | 'newest'): LogEntryOutput[] =>
  order === 'oldest' ? entries : entries.reverse();

function entriesOf(chunk: LogChunk, from: number, to: number): LogEntryOutput[] {
  const first = Number(chunk.first_index);
  const created_at = chunk.created_at.toISOString();
  return chunk.entries
    .map((entry, position) => ({
      entry_index: first + position,
      execution_process_id: chunk.execution_id,
      created_at,
      entry,
    }))
    .filter(({ entry_index }) => entry_index >= from && entry_index <= to);
}
