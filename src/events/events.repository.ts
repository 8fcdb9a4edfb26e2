import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, membershipOf, projectScope } from '../platform/access/rights.js';
import { Database, type PreparedStatement, type Transaction } from '../platform/database/database.js';
import type { TextTimes } from '../platform/database/text-times.js';
import type { EventKind } from './event.dto.js';
import { SETTLED_UPTO, settledNumbers } from '../platform/database/settled-numbers.js';

/** Statements of EventsRepository. */

const SETTLED: PreparedStatement = {
  name: 'events_settled',
  text: `SELECT ${SETTLED_UPTO}, coalesce(held.number < newest.number, false) AS is_ahead${settledNumbers('events')}`,
};

const COLUMNS = 'number, project_id, type, subject, data, created_at';

const OF_PROJECT: PreparedStatement = {
  name: 'events_of_project',
  text: `
  SELECT ${COLUMNS}
  FROM events
  WHERE project_id = $4 AND number > $1 AND number <= $2
  ORDER BY number LIMIT $3`,
};

const OF_ALL: PreparedStatement = {
  name: 'events_of_all',
  text: `
  SELECT ${COLUMNS}
  FROM events
  WHERE number > $1 AND number <= $2
    AND ($4::uuid[] IS NULL OR project_id = ANY($4))
    AND ($5::text IS NULL OR project_role(project_id, $5) IS NOT NULL)
  ORDER BY number LIMIT $3`,
};

/** Of the newest $2 rows the oldest of the last $1 milliseconds, and whether rows before those may be recent, too. */
const RECENT: PreparedStatement = {
  name: 'events_recent',
  text: `
  SELECT min(number) AS first, count(*) = $2 AS has_more
  FROM (SELECT number, created_at FROM events ORDER BY number DESC LIMIT $2) newest
  WHERE created_at >= now() - $1 * interval '1 millisecond'`,
};

/** $1 projects and $2 who asks for each. */
const ROLES: PreparedStatement = {
  name: 'event_roles',
  text: `
  SELECT asked.position, project_role(p.id, asked.who) AS project_role
  FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (project_id, who, position)
  JOIN projects p ON p.id = asked.project_id AND p.deleted_at IS NULL`,
};

export interface NewEvent {
  project_id: string | null;
  type: EventKind;
  subject: string;
  data: Record<string, unknown>;
}
interface EventRow extends NewEvent {
  number: string;
  created_at: Date;
}
export type StoredEvent = TextTimes<EventRow>;

/** Number up to which no event can appear any more; `is_ahead`: there are rows above it. */
interface Settled {
  upto: number;
  is_ahead: boolean;
}
interface Recent {
  first: number | null;
  has_more: boolean;
}
interface Span {
  project_id: string | undefined;
  after: number;
  upto: number;
  limit: number;
  principal: Principal;
}
interface Place {
  project_id: string;
  who: string | null;
}

/** Equal reads in one turn of the event loop share a statement: hundreds of streams of a board cost hardly more than
 *  one. */
const together = { cache: true, batchScheduleFn: setImmediate, maxBatchSize: 1_000 } as const;

@Injectable()
export class EventsRepository {
  private readonly roles: DataLoader<Place, Guarded | null, string>;
  private readonly spans: DataLoader<Span, StoredEvent[], string>;
  private readonly ends: DataLoader<'end', Settled>;

  constructor(private readonly database: Database) {
    this.roles = new DataLoader((places) => this.forgetting(this.roles, this.readRoles(places)), {
      ...together,
      cacheKeyFn: ({ project_id, who }) => `${project_id} ${who}`,
    });
    this.spans = new DataLoader((spans) => this.forgetting(this.spans, Promise.all(spans.map((s) => this.read(s)))), {
      ...together,
      cacheKeyFn: ({ project_id, after, upto, limit, principal }) =>
        [project_id, after, upto, limit, membershipOf(principal), principal.projects].join(' '),
    });
    this.ends = new DataLoader(() => this.forgetting(this.ends, this.readEnd()), together);
  }

  /** A change and its events are written together or not at all. */
  async insert(_tx: Transaction, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.database.query(
      `INSERT INTO events (project_id, type, subject, data)
       SELECT e.project_id, e.type, e.subject, e.data
       FROM jsonb_to_recordset($1::jsonb) AS e (position int, project_id uuid, type text, subject uuid, data jsonb)
       ORDER BY e.position`,
      [JSON.stringify(events.map((event, position) => ({ position, ...event })))],
    );
  }

  findSettled(): Promise<Settled> {
    return this.ends.load('end');
  }

  /** @param most how many of the newest rows are looked at */
  async findRecent(ms: number, most: number): Promise<Recent> {
    const [row] = await this.database.queryPrepared<{ first: string | null; has_more: boolean }>(RECENT, [ms, most]);
    return { first: row!.first === null ? null : Number(row!.first), has_more: row!.has_more };
  }

  /** Events of a span that the principal may see, oldest first. */
  list(span: Span): Promise<StoredEvent[]> {
    return this.spans.load(span);
  }

  /** The caller's role in a project that is there; null where there is none. */
  findRole(principal: Principal, project_id: string): Promise<Guarded | null> {
    return this.roles.load({ project_id, who: membershipOf(principal) });
  }

  /** The oldest, at most so many. @returns how many were deleted */
  async prune(days: number, most: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM events
       WHERE number = ANY(ARRAY(
         SELECT oldest.number
         FROM (SELECT number, created_at FROM events ORDER BY number LIMIT $2) oldest
         WHERE oldest.created_at < now() - $1 * interval '1 day'
       ))`,
      [days, most],
    );
  }

  private async readEnd(): Promise<Settled[]> {
    const [row] = await this.database.queryPrepared<{ upto: string; is_ahead: boolean }>(SETTLED, []);
    return [{ upto: Number(row!.upto), is_ahead: row!.is_ahead }];
  }

  private read({ project_id, after, upto, limit, principal }: Span): Promise<StoredEvent[]> {
    const common = [after, upto, limit];
    return project_id === undefined
      ? this.database.queryPrepared<EventRow>(OF_ALL, [...common, projectScope(principal), membershipOf(principal)])
      : this.database.queryPrepared<EventRow>(OF_PROJECT, [...common, project_id]);
  }

  private async readRoles(places: readonly Place[]): Promise<(Guarded | null)[]> {
    const rows = await this.database.queryPrepared<Guarded & { position: string }>(ROLES, [
      places.map(({ project_id }) => project_id),
      places.map(({ who }) => who),
    ]);
    const byPosition = new Map(rows.map((row) => [Number(row.position), row]));
    return places.map((_, index) => byPosition.get(index + 1) ?? null);
  }

  /** Later calls read again, so that a read sees what was committed before it began. */
  private forgetting<T>(loader: { clearAll(): unknown }, read: Promise<T>): Promise<T> {
    loader.clearAll();
    return read;
  }
}
