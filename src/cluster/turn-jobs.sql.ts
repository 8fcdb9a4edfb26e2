import { IS_LIVE } from './runners.sql.js';
import { HAS_EXECUTOR, HAS_LABELS } from './waiting.sql.js';

/** Statements of TurnQueue. `t` is a turn of the queue; its home is empty where any runner may take it. */

/** Whether runner `r` is a home for turn `t`: it takes turns, neither left nor was silent for so many seconds, and has
 *  the labels and the executor, or has not looked for executors yet, right after its start. Where nothing is saved, no
 *  other runner could go on. Turns of other homes may run anywhere. */
const isHome = (secs: string, isSaved: string): string =>
  `r.left_at IS NULL AND r.seen_at > now() - ${secs} * interval '1 second' AND r.life <> 'keeper'
    AND (NOT ${isSaved}::boolean OR (${HAS_LABELS} AND (r.executors = '[]' OR ${HAS_EXECUTOR})))`;

/** $1 job, $2 attempt, $3 project, $4 executor, $5 trace, $6 home, $7 RUNNER_LOST_SECS, $8 whether work is saved,
 *  $9 priority, $10 labels */
export const ENQUEUE = `
  INSERT INTO turn_jobs (job_id, attempt_id, project_id, executor, labels, traceparent, home, priority)
  SELECT $1, $2, $3, t.executor, t.labels, $5,
    coalesce((SELECT r.runner_id FROM runners r WHERE r.runner_id = $6 AND ${isHome('$7', '$8')}), ''),
    $9
  FROM (SELECT $4::text AS executor, $10::text[] AS labels) t`;

/** $1 job, $2 its incarnation, null for any */
export const SETTLE = 'DELETE FROM turn_jobs WHERE job_id = $1 AND ($2::uuid IS NULL OR incarnation = $2)';

/** Whether that claim may take turn `t`. */
const MAY_TAKE = 't.executor = ANY($3) AND t.labels <@ $5 AND t.home = ANY($6)';

/** The next turn by fair order, for an incarnation that has its lease. Lock the share first so that
 *  concurrent claims respect its cap; locked shares and turns are skipped. LIMIT instead of EXISTS: a planner without
 *  statistics would read the whole backlog for each claim.
 *  $1 runner, $2 incarnation, $3 executors, $4 cap of a project, 0 for none, $5 labels, $6 homes */
export const CLAIM = `
  WITH share AS (
    SELECT s.project_id, s.tag
    FROM turn_shares s
    CROSS JOIN LATERAL (
      SELECT 1
      FROM turn_jobs t
      WHERE t.project_id = s.project_id AND t.taken_at IS NULL AND ${MAY_TAKE}
      LIMIT 1
    ) ready
    WHERE s.waiting > 0 AND ($4 = 0 OR s.running < $4)
      AND EXISTS (SELECT 1 FROM runners r WHERE r.runner_id = $1 AND r.incarnation = $2 AND ${IS_LIVE})
    ORDER BY s.tag, s.project_id
    LIMIT 1
    FOR UPDATE OF s SKIP LOCKED
  ), head AS (
    SELECT j.job_id, share.tag
    FROM share
    CROSS JOIN LATERAL (
      SELECT t.job_id
      FROM turn_jobs t
      WHERE t.project_id = share.project_id AND t.taken_at IS NULL AND ${MAY_TAKE}
      ORDER BY t.priority DESC, t.number
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ) j
  ), taken AS (
    UPDATE turn_jobs t
    SET taken_at = now(), runner_id = $1, incarnation = $2
    FROM head
    WHERE t.job_id = head.job_id
    RETURNING t.job_id, t.attempt_id, t.traceparent, head.tag::text AS tag
  )
  SELECT taken.job_id, taken.attempt_id, taken.traceparent, taken.tag
  FROM share
  LEFT JOIN taken ON true`;

/** Serialises claims if executors have caps, because there is no row per executor to lock. */
export const LOCK_CAPS = "SELECT pg_advisory_xact_lock(hashtextextended('caps of executors', 0))";

export const COUNT_TAKEN = `
  SELECT t.executor, count(*)::int AS running
  FROM turn_jobs t
  WHERE t.taken_at IS NOT NULL
  GROUP BY t.executor`;

export const PASS_TIME = 'UPDATE turn_clock SET tag = $1 WHERE tag < $1';

/** $1 job, $2 incarnation */
export const GIVE_BACK = `
  UPDATE turn_jobs
  SET taken_at = NULL, runner_id = NULL, incarnation = NULL
  WHERE job_id = $1 AND incarnation = $2`;

/** $1 job */
export const REQUEUE = 'UPDATE turn_jobs SET taken_at = NULL, runner_id = NULL, incarnation = NULL WHERE job_id = $1';

/** What a life of this runner took without having heard of it. $1 runner, $2 incarnation, $3 jobs that it knows of */
export const GIVE_BACK_UNHEARD = `
  UPDATE turn_jobs
  SET taken_at = NULL, runner_id = NULL, incarnation = NULL
  WHERE taken_at IS NOT NULL AND runner_id = $1 AND incarnation = $2 AND NOT job_id = ANY($3)`;

/** $1 job, $2 incarnation */
export const IS_HELD = `
  SELECT 1 AS one
  FROM turn_jobs t
  JOIN runners r ON r.runner_id = t.runner_id AND r.incarnation = t.incarnation
  WHERE t.job_id = $1 AND t.incarnation = $2 AND ${IS_LIVE}
  FOR UPDATE OF t`;

/** $1 job, $2 incarnation, whether it lives or not */
export const LOCK = 'SELECT 1 AS one FROM turn_jobs t WHERE t.job_id = $1 AND t.incarnation = $2 FOR UPDATE';

/** Every process looks: of those that look at the same moment one does. */
const ALONE = "(SELECT pg_try_advisory_xact_lock(hashtextextended('lost turns', 0)))";

/** Turns whose runner lost its lease, has left, or lives another life by now. */
export const LIST_LOST = `
  SELECT t.job_id, t.attempt_id, t.incarnation
  FROM turn_jobs t
  LEFT JOIN runners r ON r.runner_id = t.runner_id AND r.incarnation = t.incarnation AND ${IS_LIVE}
  WHERE ${ALONE} AND t.taken_at IS NOT NULL AND r.runner_id IS NULL
  ORDER BY t.number
  LIMIT 100`;

/** Turns whose home left, was silent for $1 seconds, or cannot run them, may go on anywhere.
 *  $2 whether work is saved */
export const FREE = `
  UPDATE turn_jobs t
  SET home = ''
  WHERE ${ALONE} AND t.taken_at IS NULL AND t.home <> ''
    AND NOT EXISTS (
      SELECT 1
      FROM runners r
      WHERE r.runner_id = t.home AND ${isHome('$1', '$2')}
    )`;
