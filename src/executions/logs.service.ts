import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { OpenRequests } from '../platform/access/caller-limits.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import type { Wording } from '../platform/errors/wording.js';
import { beginningOf } from '../platform/fields/formats.js';
import { pageLimit } from '../platform/fields/paging.js';
import {
  DEFAULT_ENTRIES,
  type LogEntryOutput,
  type LogPage,
  MAX_ENTRIES,
  type TailLogsInput,
  type TailLogsOutput,
} from './log.dto.js';
import { type LogPart, LogReader, MAX_ANSWER_BYTES } from './log-reader.js';
import { textOf } from './log-text.js';

/** What an answer holds that nobody asked to be long. */
const DEFAULT_BYTES = 40 * 1024;

interface ReadPage extends LogPage {
  /** It ends before its limit, at its size. */
  isFull: boolean;
}

@Injectable()
export class LogsService {
  constructor(
    private readonly attempts: AttemptsRepository,
    private readonly reader: LogReader,
    private readonly hub: ChangeHub,
    private readonly open: OpenRequests,
  ) {}

  /** The newest entries, older ones with `cursor`, newer ones with `after_entry_index` (with `wait_ms`: as soon as
   *  there are any, or the run has ended). @throws AppError attempt_not_found, not_a_member, too_many_streams */
  async tail(input: TailLogsInput, principal: Principal, wording: Wording): Promise<TailLogsOutput> {
    const read = () => this.read(input, principal, wording);
    return input.wait_ms ? this.open.hold(principal, read) : read();
  }

  private async read(input: TailLogsInput, principal: Principal, wording: Wording): Promise<TailLogsOutput> {
    const { attempt_id } = input;
    const channel = input.channel ?? 'normalized';
    let answer!: TailLogsOutput;
    await this.hub.waitFor(attempt_id, input.wait_ms ?? 0, async () => {
      const status = await this.attempts.getStatus(principal, attempt_id);
      const { state, latest_execution_process_id } = status;
      const part = partOf(input, channel, status.latest_session_executor);
      const { isFull, ...page } =
        input.after_entry_index === undefined
          ? await this.older(part, input.cursor)
          : await this.newer(part, input.after_entry_index);
      answer = {
        attempt_id,
        execution_process_id: latest_execution_process_id,
        state,
        channel,
        page: input.format === 'text' ? { ...page, entries: [], text: textOf(page.entries) } : page,
        ...(isFull && wording(FULL[input.after_entry_index === undefined ? 'older' : 'newer'](page), { attempt_id })),
      };
      return page.entries.length > 0 || state !== 'running' ? answer : null;
    });
    return answer;
  }

  private async older(part: LogPart, cursor: number | undefined): Promise<ReadPage> {
    const { entries, edge, isFull, next_index, isTruncated } = await this.reader.tail(part, cursor);
    const first = edge ?? 0;
    return {
      entries: entries.map((row) => shortened(row, part)),
      has_more: first > 0,
      next_cursor: first > 0 ? first : null,
      history_truncated: isTruncated,
      next_after_entry_index: cursor === undefined ? next_index - 1 : null,
      isFull,
    };
  }

  private async newer(part: LogPart, after: number): Promise<ReadPage> {
    const { entries, edge, isFull, next_index, isTruncated } = await this.reader.after({ ...part, after });
    const last = edge ?? after;
    return {
      entries: entries.map((row) => shortened(row, part)),
      has_more: last + 1 < next_index,
      next_cursor: null,
      history_truncated: isTruncated,
      next_after_entry_index: last,
      isFull,
    };
  }
}

/** Who asks for more than a page usually has is told more at once, but for text, which agents read. */
function partOf(
  { attempt_id, limit, format, query }: TailLogsInput,
  channel: 'normalized' | 'raw',
  executor: string | null,
): LogPart {
  const usual = DEFAULT_ENTRIES[channel];
  const isText = format === 'text';
  return {
    attempt_id,
    channel,
    query,
    limit: pageLimit(limit, usual, MAX_ENTRIES),
    maxLines: limit,
    isPrinted: executor === 'SHELL',
    maxBytes: isText || (limit ?? usual) <= usual ? DEFAULT_BYTES : MAX_ANSWER_BYTES,
    bytesOf: (row) => Buffer.byteLength(isText ? row.entry.content : JSON.stringify(row)),
  };
}

const FULL = {
  older: ({ next_cursor }: LogPage) =>
    `The page is full; continue with {next:tail_attempt_logs cursor=${next_cursor}}, or ask for words with query.`,
  newer: ({ next_after_entry_index: after }: LogPage) =>
    `The page is full; continue with {next:tail_attempt_logs after_entry_index=${after}}, or ask for words with query.`,
};

/** One entry may be longer than an answer. */
function shortened(row: LogEntryOutput, { maxBytes = MAX_ANSWER_BYTES }: LogPart): LogEntryOutput {
  if (Buffer.byteLength(JSON.stringify(row)) <= maxBytes) return row;
  const { metadata, ...entry } = row.entry;
  const content = beginningOf(entry.content, maxBytes / 2);
  const isShort = Buffer.byteLength(JSON.stringify(metadata ?? {})) <= maxBytes / 4;
  return { ...row, entry: { ...entry, content, ...(metadata && isShort && { metadata }), cut: true } };
}
