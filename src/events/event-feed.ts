import { Injectable } from '@nestjs/common';
import { OpenRequests } from '../platform/access/caller-limits.js';
import { projectScope, requireRole } from '../platform/access/rights.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { LookClock } from '../platform/database/look-clock.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ServerSentEvent } from '../platform/rest/server-sent-events.js';
import type { EventOutput, ListEventsOutput } from './event.dto.js';
import { eventKey } from './event-log.js';
import { EventsRepository, type StoredEvent } from './events.repository.js';

/** All waiters look together, so that a lost right is noticed within a second for two statements. */
const LOOK_EVERY_MS = 500;
/** How soon to look again for events that wait for older transactions. */
const LOOK_AHEAD_MS = 20;
const BATCH = 500;
/** A change is told by when its transaction began, which may be this long before it could be read. */
const OPEN_MS = 5_000;
const RECENT_MAX_MS = 600_000;

/** Where a stream begins: after a number, with what is recent, or now. */
interface Start {
  after?: number;
  recent_ms?: number;
}

interface Wanted {
  project_id?: string;
  after: number;
  limit: number;
}

/** Events from any number on: paged, awaited or streamed. Holds no connection between reads. */
@Injectable()
export class EventFeed {
  private readonly clock = new LookClock(LOOK_EVERY_MS);

  constructor(
    private readonly rows: EventsRepository,
    private readonly hub: ChangeHub,
    private readonly open: OpenRequests,
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

  /** Number after which whatever happens from now on is told. */
  async now(): Promise<number> {
    return (await this.rows.findSettled()).upto;
  }

  /** The page once it has an event, or when the time is over; waiting counts as an open request.
   *  @throws AppError project_not_found, not_a_member, too_many_streams */
  await(wanted: Wanted, wait_ms: number, principal: Principal): Promise<ListEventsOutput> {
    const read = () => this.firstPage(wanted, wait_ms, principal);
    return wait_ms > 0 ? this.open.hold(principal, read) : read();
  }

  private async firstPage(wanted: Wanted, waitMs: number, principal: Principal): Promise<ListEventsOutput> {
    const deadline = performance.now() + waitMs;
    let last!: ListEventsOutput;
    for await (const page of this.pages(wanted, principal, deadline)) {
      last = page;
      if (page.events.length > 0 || performance.now() >= deadline) break;
    }
    const { events, has_more, next_after } = last;
    return { events, has_more, next_after };
  }

  /** Ends with the client, the server, or the right to read.
   *  @throws AppError project_not_found, not_a_member */
  async *stream(
    project_id: string | undefined,
    start: Start,
    principal: Principal,
    isGone: () => boolean,
  ): AsyncGenerator<ServerSentEvent> {
    const { after, missed } = await this.place(start);
    yield { id: after }; // so that a client that loses the line before the first event loses no event
    if (missed) yield { event: 'missed', data: { upto: after } };
    for await (const { events } of this.pages({ project_id, after, limit: BATCH }, principal, Infinity)) {
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

  /** @returns `missed` where more is recent than is worth telling: the client then reads again */
  private async place({ after, recent_ms }: Start): Promise<{ after: number; missed: boolean }> {
    if (after !== undefined) return { after, missed: false };
    const { upto } = await this.rows.findSettled(); // before what is recent, so that nothing falls in between
    if (recent_ms === undefined) return { after: upto, missed: false };
    if (recent_ms > RECENT_MAX_MS) return { after: upto, missed: true };
    const { first, has_more } = await this.rows.findRecent(recent_ms + OPEN_MS, BATCH);
    return { after: first === null || has_more ? upto : Math.min(first - 1, upto), missed: has_more };
  }

  /** Pages as they come, until the time is over or the server ends. */
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

/** Whether there are events that wait for older transactions to end. */
interface Ahead {
  is_ahead: boolean;
}

const toOutput = ({ number, ...event }: StoredEvent): EventOutput => ({ number: Number(number), ...event });
