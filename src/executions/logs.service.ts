import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { OpenRequests } from '../platform/access/caller-limits.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { MAX_WAIT_MS, pageLimit } from '../platform/fields/paging.js';
import { DEFAULT_ENTRIES, type LogPage, MAX_ENTRIES, type TailLogsInput, type TailLogsOutput } from './log.dto.js';
import { LogReader } from './log-reader.js';

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
  async tail(input: TailLogsInput, principal: Principal): Promise<TailLogsOutput> {
    const read = () => this.read(input, principal);
    return input.wait_ms ? this.open.hold(principal, read) : read();
  }

  private async read(input: TailLogsInput, principal: Principal): Promise<TailLogsOutput> {
    const channel = input.channel ?? 'normalized';
    const limit = pageLimit(input.limit, DEFAULT_ENTRIES[channel], MAX_ENTRIES);
    let answer!: TailLogsOutput;
    await this.hub.waitFor(input.attempt_id, Math.min(input.wait_ms ?? 0, MAX_WAIT_MS), async () => {
      const { state, latest_execution_process_id } = await this.attempts.getStatus(principal, input.attempt_id);
      const page =
        input.after_entry_index === undefined
          ? await this.older(input.attempt_id, channel, limit, input.cursor)
          : await this.newer(input.attempt_id, channel, limit, input.after_entry_index);
      answer = {
        attempt_id: input.attempt_id,
        execution_process_id: latest_execution_process_id,
        state,
        channel,
        page,
      };
      return page.entries.length > 0 || state !== 'running' ? answer : null;
    });
    return answer;
  }

  private async older(
    attempt_id: string,
    channel: 'raw' | 'normalized',
    limit: number,
    cursor: number | undefined,
  ): Promise<LogPage> {
    const { entries, next_index, isTruncated } = await this.reader.tail(attempt_id, channel, limit, cursor);
    const first = entries[0]?.entry_index ?? 0;
    return {
      entries,
      has_more: first > 0,
      next_cursor: first > 0 ? first : null,
      history_truncated: isTruncated,
      next_after_entry_index: entries.at(-1)?.entry_index ?? Math.min(cursor ?? 0, next_index) - 1,
    };
  }

  private async newer(
    attempt_id: string,
    channel: 'raw' | 'normalized',
    limit: number,
    after: number,
  ): Promise<LogPage> {
    const { entries, next_index, isTruncated } = await this.reader.after(attempt_id, channel, limit, after);
    const last = entries.at(-1)?.entry_index ?? after;
    return {
      entries,
      has_more: last + 1 < next_index,
      next_cursor: null,
      history_truncated: isTruncated,
      next_after_entry_index: last,
    };
  }
}
