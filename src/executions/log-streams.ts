import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { LogChannel } from '../executors/log-entry.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { LookClock } from '../platform/database/look-clock.js';
import type { ServerSentEvent } from '../platform/rest/server-sent-events.js';
import { eventsKey } from './attempt-events.js';
import { ExecutionsRepository } from './executions.repository.js';
import type { LogEntryOutput } from './log.dto.js';
import { LogReader } from './log-reader.js';
import { LogRepository } from './log.repository.js';

const BATCH = 1_000;
const LOOK_EVERY_MS = 2_000;

/** Streams a channel from any index on, without holding a connection between reads. */
@Injectable()
export class LogStreams {
  private readonly clock = new LookClock(LOOK_EVERY_MS);

  constructor(
    private readonly reader: LogReader,
    private readonly logs: LogRepository,
    private readonly executions: ExecutionsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly hub: ChangeHub,
  ) {}

  /** Events of an attempt; ends with the client, the server, or the right to read, which every read checks.
   *  @throws AppError attempt_not_found, not_a_member */
  async *events(
    attempt_id: string,
    after: number | null,
    principal: Principal,
    isGone: () => boolean,
  ): AsyncGenerator<ServerSentEvent> {
    const start = after ?? (await this.reader.tail({ attempt_id, channel: 'events', limit: 1 })).next_index - 1;
    yield { id: start }; // so that a client that loses the line before the first event loses no event
    yield* this.follow(attempt_id, 'events', start, isGone, async () => {
      await this.attempts.requireVisible(principal, attempt_id);
      return null;
    });
  }

  /** The log of one execution from its start; ends, with an `end` event, when it has ended and all is sent. */
  async *execution(
    execution_id: string,
    channel: 'raw' | 'normalized',
    after: number | null,
    principal: Principal,
    isGone: () => boolean,
  ): AsyncGenerator<ServerSentEvent> {
    const { attempt_id } = await this.executions.get(principal, execution_id);
    const start = after ?? (await this.logs.findFirstIndex(attempt_id, execution_id, channel)) - 1;
    const findEnd = async () =>
      (await this.isLive(execution_id, principal))
        ? null
        : this.logs.findLastIndex({ attempt_id, execution_id }, channel);
    for await (const event of this.follow(attempt_id, channel, start, isGone, findEnd)) {
      if ((event.data as LogEntryOutput).execution_process_id === execution_id) yield event;
    }
    const { status } = await this.executions.get(principal, execution_id);
    if (!isGone()) yield { event: 'end', data: { execution_process_id: execution_id, status } };
  }

  private async isLive(execution_id: string, principal: Principal): Promise<boolean> {
    return ['queued', 'running'].includes((await this.executions.get(principal, execution_id)).status);
  }

  /** @param findEnd the last index to send, null while more may come */
  private async *follow(
    attempt_id: string,
    channel: LogChannel,
    after: number,
    isGone: () => boolean,
    findEnd: () => Promise<number | null>,
  ): AsyncGenerator<ServerSentEvent> {
    const subscription = this.hub.subscribe(channel === 'events' ? eventsKey(attempt_id) : attempt_id);
    const leave = this.clock.join(() => subscription.nudge());
    try {
      while (!isGone() && !this.hub.isClosing) {
        const end = await findEnd();
        while (after < (end ?? Infinity)) {
          const { entries } = await this.reader.after({ attempt_id, channel, limit: BATCH, after });
          for (const entry of entries) yield { id: entry.entry_index, event: 'entry', data: entry };
          if (entries.length === 0) break;
          after = entries.at(-1)!.entry_index;
        }
        if (end !== null) return;
        await subscription.next(2 * LOOK_EVERY_MS);
      }
    } finally {
      leave();
      subscription.close();
    }
  }
}
