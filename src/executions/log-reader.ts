import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { LogChannel } from '../executors/log-entry.js';
import { type LogChunk, LogRepository } from './log.repository.js';
import type { LogEntryOutput } from './log.dto.js';
import { linesIn, withWords } from './log-words.js';

export const MAX_ANSWER_BYTES = 256 * 1024;
/** Queries that look for words in one answer. */
const MAX_LOOKS = 64;

interface Found {
  entries: LogEntryOutput[];
  /** Index of the last one that was looked at, whether or not it is among the entries; null where there was none. */
  edge: number | null;
  /** The answer was full before the limit was. */
  isFull: boolean;
}

export interface LogRange extends Found {
  next_index: number;
  isTruncated: boolean;
}

/** How much of which log. */
export interface LogPart {
  attempt_id: string;
  channel: LogChannel;
  /** Entries. */
  limit: number;
  /** Lines of what was printed. */
  maxLines?: number | undefined;
  /** The executor says nothing but what its program printed. */
  isPrinted?: boolean;
  /** Of one answer, whatever limit says. */
  maxBytes?: number;
  /** What an entry adds to it. */
  bytesOf?: (row: LogEntryOutput) => number;
  /** Words that all entries have. */
  query?: string | undefined;
}

interface Wanted extends LogPart {
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
      cacheKeyFn: ({ attempt_id, channel, limit, maxLines, maxBytes, query, after }) =>
        [attempt_id, channel, limit, maxLines, maxBytes, after, query].join(' '),
    },
  );

  constructor(private readonly logs: LogRepository) {}

  /** The newest `limit` entries below `before` (default: the end), in chronological order. */
  async tail(part: LogPart, before?: number): Promise<LogRange> {
    const head = await this.logs.findHead(part.attempt_id, part.channel);
    const end = Math.min(before ?? head.next_index, head.next_index);
    const first = part.query === undefined ? Math.max(0, end - part.limit) : 0;
    const found = await this.read(part, first, end - 1, 'newest');
    return { ...found, next_index: head.next_index, isTruncated: head.dropped_entries > 0 };
  }

  /** The first `limit` entries above `after`, in chronological order. */
  after(wanted: Wanted): Promise<Readonly<LogRange>> {
    return this.ranges.load(wanted);
  }

  private async readAfter({ after, ...part }: Wanted): Promise<LogRange> {
    const head = await this.logs.findHead(part.attempt_id, part.channel);
    const last = part.query === undefined ? Math.min(after + part.limit, head.next_index - 1) : head.next_index - 1;
    const found = await this.read(part, after + 1, last, 'oldest');
    return { ...found, next_index: head.next_index, isTruncated: head.dropped_entries > 0 };
  }

  /** Entries of [from, to] from one end, until the answer is full. */
  private async read(part: LogPart, from: number, to: number, order: 'oldest' | 'newest'): Promise<Found> {
    const answer = new Answer(part);
    for (let looks = 0; from <= to && looks < MAX_LOOKS; looks += 1) {
      const chunks = await this.logs.listChunks(part.attempt_id, part.channel, from, to, order);
      const rows = chunks.flatMap((chunk) => inOrder(entriesOf(chunk, from, to), order));
      if (rows.length === 0 || !rows.every((row) => answer.take(row))) break;
      if (order === 'oldest') from = answer.edge! + 1;
      else to = answer.edge! - 1;
    }
    return { entries: inOrder(answer.entries, order), edge: answer.edge, isFull: answer.isFull };
  }
}

/** What has been found so far. */
class Answer implements Found {
  readonly entries: LogEntryOutput[] = [];
  edge: number | null = null;
  isFull = false;
  private bytes = 0;
  private lines = 0;

  constructor(private readonly part: LogPart) {}

  /** @returns false where there is no room for it */
  take(row: LogEntryOutput): boolean {
    const { query, limit, maxLines = Infinity, isPrinted = false, maxBytes = MAX_ANSWER_BYTES } = this.part;
    const { bytesOf = entryBytes } = this.part;
    const entry = query === undefined ? row.entry : withWords(row.entry, query, isPrinted);
    if (entry !== null) {
      const kept = { ...row, entry };
      this.bytes += bytesOf(kept);
      this.lines += linesIn(entry, isPrinted);
      if (this.entries.length > 0) {
        this.isFull = this.bytes > maxBytes;
        if (this.isFull || this.lines > maxLines || this.entries.length >= limit) return false;
      }
      this.entries.push(kept);
    }
    this.edge = row.entry_index;
    return true;
  }
}

const entryBytes = ({ entry }: LogEntryOutput): number => Buffer.byteLength(JSON.stringify(entry));

const inOrder = (entries: LogEntryOutput[], order: 'oldest' | 'newest'): LogEntryOutput[] =>
  order === 'oldest' ? entries : entries.toReversed();

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
