import { membershipOf, projectScope } from '../access/rights.js';
import DataLoader from 'dataloader';
import type { Principal } from '../access/principal.js';
import type { Database, PreparedStatement } from './database.js';
import type { TextTimes } from './text-times.js';

/** `view` is equal for all who see the same rows. */
interface Wanted {
  id: string;
  principal: Principal;
  view: string;
}

/** Completes `id =` with the wanted ids. Inside a subquery the planner does not count them, so one plan serves any
 *  number. */
export const ANY_WANTED = 'ANY ((SELECT $1::uuid[])::uuid[])';

/** Loads single rows by id. Reads that arrive in one turn of the event loop share one statement, which doubles the
 *  polls served. Nothing is cached: a read sees what was committed before it began. */
export class RowLoader<T extends object> {
  private readonly loader = new DataLoader<Wanted, TextTimes<T> | null>((wanted) => this.readAll(wanted), {
    cache: false,
    batchScheduleFn: setImmediate,
    maxBatchSize: 100,
  });

  /** @param statement of $1 the wanted ids, $2 the project scope, $3 the worker
   *  @param idOf the id that a row answers to */
  constructor(
    private readonly database: Database,
    private readonly statement: PreparedStatement,
    private readonly idOf: (row: TextTimes<T>) => string,
  ) {}

  /** Reads of the same row in the same turn get the same object. Inside a transaction each read is its own, because
   *  uncommitted data is not for others. */
  find(principal: Principal, id: string): Promise<Readonly<TextTimes<T>> | null> {
    if (this.database.isInTransaction) return this.read(principal, [id]).then((rows) => rows.get(id) ?? null);
    return this.loader.load({ id, principal, view: `${membershipOf(principal)} ${String(principal.projects)}` });
  }

  /** One statement for each view, so that a failure of one does not affect the others. */
  private readAll(wanted: readonly Wanted[]): Promise<(TextTimes<T> | null | Error)[]> {
    const views = new Map(wanted.map(({ view, principal }) => [view, principal]));
    const idsOf = (view: string): string[] => wanted.filter((one) => one.view === view).map(({ id }) => id);
    const reads = new Map([...views].map(([view, principal]) => [view, this.read(principal, idsOf(view))]));
    const [alone] = reads.values();
    if (alone && reads.size === 1) return alone.then((rows) => wanted.map(({ id }) => rows.get(id) ?? null));
    return Promise.all(
      wanted.map(({ view, id }) =>
        reads.get(view)!.then(
          (rows) => rows.get(id) ?? null,
          (error: Error) => error,
        ),
      ),
    );
  }

  /** Id → row, as that principal may see it. */
  private read(principal: Principal, ids: string[]): Promise<Map<string, TextTimes<T>>> {
    return this.database
      .queryPrepared<T>(this.statement, [ids, projectScope(principal), membershipOf(principal)])
      .then((rows) => new Map(rows.map((row) => [this.idOf(row), row])));
  }
}
