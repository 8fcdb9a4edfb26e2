import { Injectable } from '@nestjs/common';
import { projectScope, requireRole } from '../platform/access/membership.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { LookClock } from '../platform/database/look-clock.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ServerSentEvent } from '../platform/rest/server-sent-events.js';
import type { EventOutput, ListEventsOutput } from './event.dto.js';
import { eventKey } from './event-log.js';
import { EventsRepository, type StoredEvent } from './events.repository.js';

/** All who wait look together, so that a right that was lost is noticed within a second at the price of two
 *  statements. */
const LOOK_EVERY_MS = 500;
/** What is written waits for the end of older transactions. */
const LOOK_AHEAD_MS = 20;
const BATCH = 500;

interface Wanted {
  project_id?: string;
  after: number;
  limit: number;
}

/** Events from any number on, paged, awaited or streamed. Holds no connection and no transaction between two looks. */
@Injectable()
export class EventFeed {
  private readonly clock = new LookClock(LOOK_EVERY_MS);

  constructor(
    private readonly rows: EventsRepository,
    private readonly hub: ChangeHub,
  ) {}

  /** @throws AppError project_not_found, not_a_member */
  async page({ project_id, after, limit }: Wanted, principal: Principal): Promise<ListEventsOutput & Ahead> {
    if (project_id !== undefined) await this.require(project_id, principal);
    const { upto, is_ahead } = await this.rows.findSettled();
    const rows = upto > after ? await this.rows.list({ project_id, after, upto, limit: limit + 1, principal }) : [];
    const events = rows.slice(0, limit).map(toOutput);
    const has_more = rows.length > limit;
    return { events, has_more, next_after: has_more ? events.at(-1)!.number : Math.max(after, upto), is_ahead };
  }

  /** The page once it holds an event, or the time is over. */
  async await(wanted: Wanted, waitMs: number, principal: Principal): Promise<ListEventsOutput> {
    const deadline = performance.now() + waitMs;
    let last!: ListEventsOutput;
    for await (const page of this.pages(wanted, principal, deadline)) {
      last = page;
      if (page.events.length > 0 || performance.now() >= deadline) break;
    }
    const { events, has_more, next_after } = last;
    return { events, has_more, next_after };
  }

  /** From now on, or after a number; ends with the client, the server, or the right to read.
   *  @throws AppError project_not_found, not_a_member */
  async *stream(
    project_id: string | undefined,
    after: number | null,
    principal: Principal,
    isGone: () => boolean,
  ): AsyncGenerator<ServerSentEvent> {
    const start = after ?? (await this.rows.findSettled()).upto;
    yield { id: start }; // so that a client that loses the line before the first event loses no event
    for await (const { events } of this.pages({ project_id, after: start, limit: BATCH }, principal, Infinity)) {
      for (const event of events) yield { id: event.number, event: 'event', data: event };
      if (isGone()) return;
    }
  }

  /** @throws AppError project_not_found, not_a_member */
  async require(project_id: string, principal: Principal): Promise<void> {
    const nothing = () => new AppError('project_not_found', { project_id });
    const scope = projectScope(principal);
    const found = scope === null || scope.includes(project_id) ? await this.rows.findRole(principal, project_id) : null;
    if (found === null) throw nothing();
    requireRole({ ...found, project_id }, principal, nothing);
  }

  /** One page after another, as they come; the last one when the time is over or the server ends. */
  private async *pages(
    wanted: Wanted,
    principal: Principal,
    deadline: number,
  ): AsyncGenerator<ListEventsOutput & Ahead> {
    const subscription = this.hub.subscribe(eventKey(wanted.project_id));
    const leave = this.clock.join(() => subscription.nudge());
    try {
      for (let { after } = wanted; ;) {
        const page = await this.page({ ...wanted, after }, principal);
        yield page;
        after = page.next_after;
        const left = deadline - performance.now();
        if (left <= 0 || this.hub.isClosing) return;
        if (!page.has_more) await subscription.next(Math.min(left, page.is_ahead ? LOOK_AHEAD_MS : 2 * LOOK_EVERY_MS));
      }
    } finally {
      subscription.close();
      leave();
    }
  }
}

/** Whether events were written whose turn comes once older transactions have ended. */
interface Ahead {
  is_ahead: boolean;
}

const toOutput = ({ number, ...event }: StoredEvent): EventOutput => ({ number: Number(number), ...event });
