import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { type Guarded, projectScope } from '../platform/access/membership.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { TextTimes } from '../platform/database/text-times.js';
import type { EventKind } from './event.dto.js';
import { OF_ALL, OF_PROJECT, ROLES, SETTLED } from './events.sql.js';

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

/** Up to which number nothing can appear any more; `is_ahead`: there are rows above it, whose turn comes soon. */
export interface Settled {
  upto: number;
  is_ahead: boolean;
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
  worker: string | null;
}

/** Reads of one turn of the event loop are one statement where they ask for the same: hundreds of streams of a board
 *  cost hardly more than one. */
const together = { cache: true, batchScheduleFn: setImmediate, maxBatchSize: 1_000 } as const;

@Injectable()
export class EventsRepository {
  private readonly roles: DataLoader<Place, Guarded | null, string>;
  private readonly spans: DataLoader<Span, StoredEvent[], string>;
  private readonly ends: DataLoader<'end', Settled>;

  constructor(private readonly database: Database) {
    this.roles = new DataLoader((places) => this.forgetting(this.roles, this.readRoles(places)), {
      ...together,
      cacheKeyFn: ({ project_id, worker }) => `${project_id} ${worker}`,
    });
    this.spans = new DataLoader((spans) => this.forgetting(this.spans, Promise.all(spans.map((s) => this.read(s)))), {
      ...together,
      cacheKeyFn: ({ project_id, after, upto, limit, principal }) =>
        [project_id, after, upto, limit, principal.worker, principal.projects].join(' '),
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

  /** What of a span the principal may see, oldest first. */
  list(span: Span): Promise<StoredEvent[]> {
    return this.spans.load(span);
  }

  /** The worker's role in a project that is there; null where there is none. */
  findRole({ worker }: Principal, project_id: string): Promise<Guarded | null> {
    return this.roles.load({ project_id, worker });
  }

  /** The oldest, at most so many. @returns how many went */
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
      ? this.database.queryPrepared<EventRow>(OF_ALL, [...common, projectScope(principal), principal.worker])
      : this.database.queryPrepared<EventRow>(OF_PROJECT, [...common, project_id]);
  }

  private async readRoles(places: readonly Place[]): Promise<(Guarded | null)[]> {
    const rows = await this.database.queryPrepared<Guarded & { position: string }>(ROLES, [
      places.map(({ project_id }) => project_id),
      places.map(({ worker }) => worker),
    ]);
    const byPosition = new Map(rows.map((row) => [Number(row.position), row]));
    return places.map((_, index) => byPosition.get(index + 1) ?? null);
  }

  /** Who asks later asks anew: a read sees what was committed before it came. */
  private forgetting<T>(loader: { clearAll(): unknown }, read: Promise<T>): Promise<T> {
    loader.clearAll();
    return read;
  }
}
