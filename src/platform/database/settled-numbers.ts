/** SQL of the numbers of a log: `newest`, the last one of the snapshot, and `held`, the last one below which every
 *  transaction has ended, null if none is open. Writers lock their numbers (see the tables' migrations). Locks are read
 *  after the snapshot, and rows by a later statement, so a transaction gone from the locks is visible to it. A lock has
 *  the lower 32 bits of a number: the number nearest to the newest is meant. */
export const settledNumbers = (table: 'events' | 'audit_log'): string => `
  FROM (SELECT coalesce(max(number), 0) AS number FROM ${table}) newest
    CROSS JOIN LATERAL (
      SELECT min(newest.number + (objid::bigint - newest.number)::bit(32)::int) AS number
      FROM pg_locks
      WHERE locktype = 'advisory' AND classid = '${table}'::regclass AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) held`;

/** The number up to which no row can appear any more. */
export const SETTLED_UPTO = 'least(newest.number, held.number) AS upto';
