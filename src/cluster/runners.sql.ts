/** Statements of RunnersRepository and of RunnerEntry. All times are the database's. */

/** A process gives up by itself a second earlier (LeaseWatch). */
const LEASE = "interval '10 seconds'";

/** Of a row `r`: the database heard of the process within a lease. */
const IS_HEARD = `r.left_at IS NULL AND r.seen_at > now() - ${LEASE}`;

/** Of a row `r`: the process has its lease. One without secret is alone: it may sleep for as long as nobody enters. */
export const IS_LIVE = `(r.left_at IS NULL AND (r.secret_print = '' OR r.seen_at > now() - ${LEASE}))`;

/** A name belongs to one process at a time: the row is written where it is new, left or silent, that of this process
 *  itself ($2, or $11 before), or where the session of who had it is known to be gone ($10). Whoever enters is not
 *  alone: the lease of processes that sleep without a secret ends here. */
export const ENTER = `
  WITH asleep AS (
    UPDATE runners r SET left_at = now()
    WHERE r.runner_id <> $1 AND r.secret_print = '' AND r.left_at IS NULL AND NOT (${IS_HEARD})
  )
  INSERT INTO runners AS r (
    runner_id, incarnation, role, address, version, slots, isolation, executors, secret_print, limits
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $12)
  ON CONFLICT (runner_id) DO UPDATE
  SET incarnation = excluded.incarnation, role = excluded.role, address = excluded.address,
    version = excluded.version, slots = excluded.slots, isolation = excluded.isolation,
    executors = excluded.executors, secret_print = excluded.secret_print, limits = excluded.limits,
    is_draining = false, entered_at = now(), seen_at = now(), left_at = NULL
  WHERE NOT (${IS_HEARD}) OR r.incarnation IN ($2, $11) OR $10::boolean
  RETURNING (xmax = 0) AS is_new`;

/** Processes that answer callers. */
const SERVING = `SELECT count(*)::int FROM runners r WHERE r.role <> 'runner' AND ${IS_HEARD}`;

/** $1 runner, $2 incarnation, $3 address, $4 executors. An expired lease is not renewed but taken anew. */
export const RENEW = `
  UPDATE runners r
  SET seen_at = now(), address = $3, executors = $4
  WHERE r.runner_id = $1 AND r.incarnation = $2 AND ${IS_LIVE}
  RETURNING (${SERVING}) AS serving`;

export const COUNT_SERVING = `SELECT (${SERVING}) AS serving`;

/** $1 channel, $2 payload: for the other processes, which share with this one from now on, or no longer. */
export const ANNOUNCE = 'SELECT pg_notify($1, $2)';

export const DRAIN = 'UPDATE runners SET is_draining = true WHERE runner_id = $1 AND incarnation = $2';

/** API replicas own no worktrees; their row is deleted. */
export const LEAVE = `
  WITH gone AS (
    DELETE FROM runners WHERE runner_id = $1 AND incarnation = $2 AND role = 'api'
  )
  UPDATE runners SET left_at = now() WHERE runner_id = $1 AND incarnation = $2 AND role <> 'api'`;

/** $1 runner, $2 incarnation */
export const WITHDRAW = 'DELETE FROM runners WHERE runner_id = $1 AND incarnation = $2';

/** Rows of killed API replicas, because each start has a new name. */
export const FORGET_REPLICAS = "DELETE FROM runners r WHERE r.role = 'api' AND r.seen_at < now() - interval '1 day'";

/** Processes that entered before this one ($1), live, and share no secret with it. */
export const FIND_STRANGER = `
  SELECT r.runner_id, r.role, r.address, r.secret_print, r.seen_at::text AS seen_at
  FROM runners r
  JOIN runners me ON me.runner_id = $1 AND (r.entered_at, r.runner_id) < (me.entered_at, me.runner_id)
  WHERE ($2 = '' OR r.secret_print <> $2) AND ${IS_HEARD}
  ORDER BY r.runner_id
  LIMIT 1`;

export const FIND_HOLDER = `
  SELECT r.seen_at::text AS seen_at
  FROM runners r
  WHERE r.runner_id = $1`;

/** For as long as the session lives. Keys of advisory locks are the database's own. */
export const HOLD_NAME = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS is_held';

/** RunnerRow */
const COLUMNS = `
  r.runner_id, r.incarnation, r.role, r.address, r.version, r.slots, r.executors, r.isolation, r.limits, r.seen_at,
  CASE WHEN NOT (${IS_LIVE}) THEN 'lost' WHEN r.is_draining THEN 'draining' ELSE 'ready' END AS state,
  CASE WHEN r.left_at IS NOT NULL THEN true ELSE r.seen_at < now() - $1 * interval '1 second' END AS is_gone,
  (SELECT count(*)::int FROM turn_jobs t WHERE t.runner_id = r.runner_id) AS busy`;

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

/** Executors of other runners; one that is away is known, and may come back. What they are is said by whoever was heard
 *  of last. */
export const LIST_EXECUTORS = `
  SELECT x.executor, (array_agg(x.variants ORDER BY r.seen_at DESC))[1] AS variants,
    (array_agg(x.default_variant ORDER BY r.seen_at DESC))[1] AS default_variant,
    (array_agg(x.supports_mcp ORDER BY r.seen_at DESC))[1] AS supports_mcp,
    (array_agg(x.takes ORDER BY r.seen_at DESC))[1] AS takes,
    (array_agg(x.note ORDER BY r.seen_at DESC))[1] AS note,
    (array_agg(x.version ORDER BY r.seen_at DESC) FILTER (WHERE x.is_available))[1] AS version,
    bool_or(x.is_available AND ${IS_LIVE}) AS is_available, bool_or(x.is_available) AS is_known,
    min(x.reason) FILTER (WHERE ${IS_LIVE}) AS reason
  FROM runners r
  CROSS JOIN LATERAL jsonb_to_recordset(r.executors) AS x (
    executor text, variants jsonb, default_variant text, supports_mcp boolean, is_available boolean, reason text,
    version text, takes text, note text
  )
  WHERE r.role <> 'api' AND r.runner_id <> $1
  GROUP BY x.executor`;
