import { IS_LIVE } from './runners.sql.js';

/** Why turns wait, and behind how many. `t` is a waiting turn, or what several have in common, `r` a runner. */

/** Whether the runner has the executor that the turn needs. */
export const HAS_EXECUTOR =
  "r.executors @> jsonb_build_array(jsonb_build_object('executor', t.executor, 'is_available', true))";

/** Whether it has all labels that the turn needs. */
export const HAS_LABELS = 't.labels <@ r.labels';

/** Runners that could run the turn if they had its labels. */
const ABLE = `
  FROM runners r
  WHERE r.role <> 'api' AND r.life <> 'keeper' AND NOT r.is_draining AND ${IS_LIVE} AND ${HAS_EXECUTOR}`;

/** The lack of a runner, as conditions of a CASE. @param more of a runner */
const lacks = (more = ''): string => `
      WHEN NOT EXISTS (SELECT 1 ${ABLE} ${more}) THEN 'no_runner'
      WHEN NOT EXISTS (SELECT 1 ${ABLE} ${more} AND ${HAS_LABELS}) THEN 'no_runner_with_label'`;

/** The first label that no such runner has; all of them where none has all. */
const MISSING_LABEL = `coalesce(
    (
      SELECT l.label
      FROM unnest(t.labels) l (label)
      WHERE NOT EXISTS (SELECT 1 ${ABLE} AND l.label = ANY(r.labels))
      ORDER BY l.label
      LIMIT 1
    ),
    array_to_string(t.labels, ',')
  )`;

/** {code, label} of a waiting turn of the share `s`. @param ofProject cap of a project, 0 for none
 *  @param ofExecutors caps of executors */
export const waitingReason = (ofProject: string, ofExecutors: string): string => `
  CROSS JOIN LATERAL (
    SELECT CASE
      WHEN EXISTS (SELECT 1 FROM runners r WHERE r.runner_id = t.home AND r.is_draining AND ${IS_LIVE})
        THEN 'home_draining'${lacks("AND t.home IN ('', r.runner_id)")}
      WHEN ${ofProject}::int > 0 AND s.running >= ${ofProject} THEN 'project_cap'
      WHEN (${ofExecutors}::jsonb ->> t.executor)::int <= (
        SELECT count(*) FROM turn_jobs o WHERE o.executor = t.executor AND o.taken_at IS NOT NULL
      ) THEN 'executor_cap'
      ELSE 'no_place'
    END AS code
  ) reason
  CROSS JOIN LATERAL (
    SELECT CASE WHEN reason.code = 'no_runner_with_label' THEN ${MISSING_LABEL} END AS label
  ) lack`;
export const WAITING_REASON = "json_build_object('code', reason.code, 'label', lack.label) AS waiting_reason";

/** WaitingTurnCount */
export const LIST_WAITING = `
  SELECT t.pool, t.executor, t.waiting, CASE${lacks()} ELSE 'no_place' END AS reason
  FROM (
    SELECT CASE WHEN labels = '{}' THEN 'default' ELSE array_to_string(labels, ',') END AS pool, labels, executor,
      count(*)::int AS waiting
    FROM turn_jobs
    WHERE taken_at IS NULL
    GROUP BY labels, executor
  ) t`;

/** Counts the turns before a waiting one, `t` of the share `s`: its place is its tag among those of all projects (SFQ).
 *  Own turns are counted up to 1 000. */
export const TURNS_AHEAD = `
  CROSS JOIN LATERAL (
    SELECT count(*) AS turns
    FROM (
      SELECT 1
      FROM turn_jobs o
      WHERE o.project_id = t.project_id AND o.taken_at IS NULL
        AND (o.priority > t.priority OR (o.priority = t.priority AND o.number < t.number))
      LIMIT 1000
    ) ahead
  ) own
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(least(
      o.waiting, greatest(0, s.tag + own.turns - o.tag + (o.project_id < s.project_id)::int)
    )), 0) AS turns
    FROM turn_shares o
    WHERE o.waiting > 0 AND o.project_id <> s.project_id
  ) others`;
/** 1 is next. */
export const QUEUE_POSITION = 'least(1000, 1 + own.turns + others.turns)::int AS queue_position';
