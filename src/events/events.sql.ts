import type { PreparedStatement } from '../platform/database/database.js';

/** Statements of EventsRepository. */

/** The newest row of the snapshot, or the last one below which every transaction has ended (see the table's
 *  migration). The locks are read after the snapshot is taken, and rows by a later statement: a transaction that is
 *  gone from the locks is in the snapshot of that. A lock has the lower 32 bits of a number: of all numbers that have
 *  them, the one that is nearest to the newest. */
export const SETTLED: PreparedStatement = {
  name: 'events_settled',
  text: `
  SELECT least(newest.number, held.number) AS upto, coalesce(held.number < newest.number, false) AS is_ahead
  FROM (SELECT coalesce(max(number), 0) AS number FROM events) newest
    CROSS JOIN LATERAL (
      SELECT min(newest.number + (objid::bigint - newest.number)::bit(32)::int) AS number
      FROM pg_locks
      WHERE locktype = 'advisory' AND classid = 'events'::regclass AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) held`,
};

const COLUMNS = 'number, project_id, type, subject, data, created_at';

export const OF_PROJECT: PreparedStatement = {
  name: 'events_of_project',
  text: `
  SELECT ${COLUMNS}
  FROM events
  WHERE project_id = $4 AND number > $1 AND number <= $2
  ORDER BY number LIMIT $3`,
};

export const OF_ALL: PreparedStatement = {
  name: 'events_of_all',
  text: `
  SELECT ${COLUMNS}
  FROM events
  WHERE number > $1 AND number <= $2
    AND ($4::uuid[] IS NULL OR project_id = ANY($4))
    AND ($5::uuid IS NULL OR project_role(project_id, $5) IS NOT NULL)
  ORDER BY number LIMIT $3`,
};

/** $1 projects and $2 workers, in pairs. */
export const ROLES: PreparedStatement = {
  name: 'event_roles',
  text: `
  SELECT asked.position, project_role(p.id, asked.worker) AS project_role
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS asked (project_id, worker, position)
  JOIN projects p ON p.id = asked.project_id AND p.deleted_at IS NULL`,
};
