/** Statements of RunnersRepository and of the lease of a process. All times are the database's. */

/** A process that has been silent for so long is lost. It gives up by itself two seconds earlier (LeaseWatch). */
const LEASE = "interval '10 seconds'";

/** Of a row `r`: the process lives. */
export const IS_LIVE = `r.left_at IS NULL AND r.seen_at > now() - ${LEASE}`;

/** A name belongs to one process at a time: the row is written where it is new, left or lost, still that of an earlier
 *  incarnation of this process ($11), or where the session of who had it is known to be gone ($10). */
export const ENTER = `
  INSERT INTO runners AS r (
    runner_id, incarnation, role, address, version, slots, isolation, executors, secret_print, limits
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $12)
  ON CONFLICT (runner_id) DO UPDATE
  SET incarnation = excluded.incarnation, role = excluded.role, address = excluded.address,
    version = excluded.version, slots = excluded.slots, isolation = excluded.isolation,
    executors = excluded.executors, secret_print = excluded.secret_print, limits = excluded.limits,
    is_draining = false, entered_at = now(), seen_at = now(), left_at = NULL
  WHERE NOT (${IS_LIVE}) OR r.incarnation = $11 OR $10::boolean
  RETURNING r.runner_id`;

/** Processes that answer callers. */
const SERVING = `SELECT count(*)::int FROM runners r WHERE r.role <> 'runner' AND ${IS_LIVE}`;

/** $1 runner, $2 incarnation, $3 address, $4 executors. A lease that has run out is not renewed, it is taken anew. */
export const RENEW = `
  UPDATE runners r
  SET seen_at = now(), address = $3, executors = $4
  WHERE r.runner_id = $1 AND r.incarnation = $2 AND ${IS_LIVE}
  RETURNING (${SERVING}) AS serving`;

export const COUNT_SERVING = `SELECT (${SERVING}) AS serving`;

/** $1 channel, $2 payload: for the other processes, which share with this one from now on, or no longer. */
export const ANNOUNCE = 'SELECT pg_notify($1, $2)';

export const DRAIN = 'UPDATE runners SET is_draining = true WHERE runner_id = $1 AND incarnation = $2';

/** Who only served is nobody's home. */
export const LEAVE = `
  WITH gone AS (
    DELETE FROM runners WHERE runner_id = $1 AND incarnation = $2 AND role = 'api'
  )
  UPDATE runners SET left_at = now() WHERE runner_id = $1 AND incarnation = $2 AND role <> 'api'`;

/** $1 runner, $2 incarnation: of a start that is refused, nothing is left that others would take for a lost runner. */
export const WITHDRAW = `
  DELETE FROM runners r
  WHERE r.runner_id = $1 AND r.incarnation = $2
    AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.runner_id = r.runner_id)`;

/** Of replicas that were killed: each start has a name of its own. */
export const FORGET_REPLICAS = "DELETE FROM runners r WHERE r.role = 'api' AND r.seen_at < now() - interval '1 day'";

/** Processes that live beside this one, and share no secret with it. */
export const FIND_STRANGER = `
  SELECT r.runner_id, r.role, r.address, r.secret_print, r.seen_at::text AS seen_at
  FROM runners r
  WHERE r.runner_id <> $1 AND ($2 = '' OR r.secret_print <> $2) AND ${IS_LIVE}
  ORDER BY r.runner_id
  LIMIT 1`;

export const FIND_HOLDER = `
  SELECT r.seen_at::text AS seen_at
  FROM runners r
  WHERE r.runner_id = $1`;

/** Once a session: it holds no other lock for as long. Keys of advisory locks are the database's own. */
export const HOLD_NAME = `
  SELECT coalesce(
    (SELECT true FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid() LIMIT 1),
    pg_try_advisory_lock(hashtextextended($1, 0))
  ) AS is_held`;

/** RunnerRow */
const COLUMNS = `
  r.runner_id, r.incarnation, r.role, r.address, r.version, r.slots, r.executors, r.isolation, r.limits, r.seen_at,
  CASE WHEN NOT (${IS_LIVE}) THEN 'lost' WHEN r.is_draining THEN 'draining' ELSE 'ready' END AS state,
  CASE WHEN r.left_at IS NOT NULL THEN true ELSE r.seen_at < now() - $1 * interval '1 second' END AS is_gone,
  (SELECT count(*)::int FROM executions e WHERE e.runner_id = r.runner_id AND e.status = 'running') AS busy`;

/** $1 RUNNER_LOST_SECS */
export const LIST = `
  SELECT ${COLUMNS}
  FROM runners r
  ORDER BY r.entered_at, r.runner_id`;

/** $1 RUNNER_LOST_SECS, $2 runner */
export const FIND = `
  SELECT ${COLUMNS}
  FROM runners r
  WHERE r.runner_id = $2`;

/** Executors of other runners; one that is away is known, and may come back. */
export const LIST_EXECUTORS = `
  SELECT x.executor, bool_or(x.is_available AND ${IS_LIVE}) AS is_available, bool_or(x.is_available) AS is_known,
    min(x.reason) FILTER (WHERE ${IS_LIVE}) AS reason
  FROM runners r
  CROSS JOIN LATERAL jsonb_to_recordset(r.executors) AS x (executor text, is_available boolean, reason text)
  WHERE r.role <> 'api' AND r.runner_id <> $1
  GROUP BY x.executor`;
