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
    runner_id, incarnation, role, address, version, slots, isolation, executors, secret_print, limits, labels, life
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $12, $13, $14)
  ON CONFLICT (runner_id) DO UPDATE
  SET incarnation = excluded.incarnation, role = excluded.role, address = excluded.address,
    version = excluded.version, slots = excluded.slots, isolation = excluded.isolation,
    executors = excluded.executors, secret_print = excluded.secret_print, limits = excluded.limits,
    labels = excluded.labels, life = excluded.life,
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

/** Of a row `r`: its name never comes back. */
const IS_FLEETING = "(r.role = 'api' OR r.life = 'attempt')";

/** What waits for this runner may be taken by others from now on. */
export const LEAVE = `
  WITH forgotten AS (
    DELETE FROM runners r WHERE r.runner_id = $1 AND r.incarnation = $2 AND ${IS_FLEETING} RETURNING r.runner_id
  ), left_behind AS (
    UPDATE runners r SET left_at = now()
    WHERE r.runner_id = $1 AND r.incarnation = $2 AND NOT ${IS_FLEETING}
    RETURNING r.runner_id
  )
  UPDATE turn_jobs t SET home = ''
  WHERE t.taken_at IS NULL AND t.home IN (SELECT runner_id FROM forgotten UNION SELECT runner_id FROM left_behind)`;

/** $1 runner, $2 incarnation */
export const WITHDRAW = 'DELETE FROM runners WHERE runner_id = $1 AND incarnation = $2';

/** Runners that left in order and did not come back under their name. */
export const LIST_LEFT = 'SELECT r.runner_id FROM runners r WHERE r.left_at IS NOT NULL';

/** $1 runners */
export const FORGET = 'DELETE FROM runners r WHERE r.runner_id = ANY($1) AND r.left_at IS NOT NULL';

/** Rows of those that were killed. */
export const FORGET_FLEETING = `
  DELETE FROM runners r
  WHERE ${IS_FLEETING}
    AND r.seen_at < now() - CASE WHEN r.role = 'api' THEN interval '1 day' ELSE interval '1 hour' END`;

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
  r.runner_id, r.incarnation, r.role, r.address, r.version, r.slots, r.labels, r.life, r.executors, r.isolation,
  r.limits, r.seen_at,
  CASE WHEN r.left_at IS NOT NULL THEN 'left' WHEN NOT (${IS_LIVE}) THEN 'lost' WHEN r.is_draining THEN 'draining'
    ELSE 'ready' END AS state,
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
