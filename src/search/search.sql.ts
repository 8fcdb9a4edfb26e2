import type { PreparedStatement } from '../platform/database/database.js';
import { walk } from '../platform/database/word-search.js';
import { TASK_TERMS } from '../tasks/found-tasks.sql.js';
import { type SearchKind, searchKinds } from './search.dto.js';

/** With more projects their signs cost more than they save. */
const MAX_SIGNS = 64;
/** Characters before the first word, and of the whole. */
const [BEFORE, EXCERPT] = [60, 240];

/** One table of texts. */
interface Source {
  columns: string;
  table: string;
  indexed: string;
  terms: string;
  within: string;
  task: string;
  text: string;
  attempt: string;
  at: string;
}

export const SEEN = 'project_id = ANY ((SELECT ids FROM asked)::uuid[])';
const OF_LIVE_TASK = (task_id: string) => `EXISTS (SELECT 1 FROM live_tasks t WHERE t.id = ${task_id})`;
const OF_ATTEMPT = '(SELECT a.task_id FROM attempts a WHERE a.id = attempt_id)';

const sources: Record<SearchKind, Source> = {
  task: {
    columns: 'id, number, project_id, description, created_at',
    table: 'tasks',
    indexed: 'deleted_at IS NULL',
    terms: TASK_TERMS,
    within: SEEN,
    task: 'id',
    text: "coalesce(description, '')",
    attempt: 'NULL::uuid',
    at: 'created_at',
  },
  message: {
    columns: 'number, project_id, task_id, attempt_id, prompt, created_at',
    table: 'executions',
    indexed: "run_reason = 'codingagent' AND NOT is_task_text",
    terms: 'terms_of(number, project_id, prompt, NULL)',
    within: `${SEEN} AND ${OF_LIVE_TASK('task_id')}`,
    task: 'task_id',
    text: 'prompt',
    attempt: 'attempt_id',
    at: 'created_at',
  },
  answer: {
    columns: 'number, project_id, task_id, attempt_id, final_message, completed_at, updated_at',
    table: 'executions',
    indexed: 'final_message IS NOT NULL',
    terms: 'terms_of(number, project_id, final_message, NULL)',
    within: `${SEEN} AND ${OF_LIVE_TASK('task_id')}`,
    task: 'task_id',
    text: 'final_message',
    attempt: 'attempt_id',
    at: 'coalesce(completed_at, updated_at)',
  },
  comment: {
    columns: 'number, project_id, attempt_id, text, created_at',
    table: 'review_comments',
    indexed: 'true',
    terms: 'terms_of(number, project_id, text, NULL)',
    within: `${SEEN} AND ${OF_LIVE_TASK(OF_ATTEMPT)}`,
    task: OF_ATTEMPT,
    text: 'text',
    attempt: 'attempt_id',
    at: 'created_at',
  },
};

const found = (kind: SearchKind, place: number): string => {
  const { columns, table, indexed, terms, within, task, text, attempt, at } = sources[kind];
  return `
  SELECT '${kind}' AS kind, number, ${task} AS task_id, ${attempt} AS attempt_id,
    ${text} AS text, ${at} AS at
  FROM (${walk({
    ...{ columns, table, indexed, terms, within },
    query: '(SELECT query FROM asked)',
    below: `($5::bigint[])[${place + 1}]`,
    limit: `($6::int[])[${place + 1}]`,
  })}
  ) ${kind}s`;
};

/** Rights are part of the query: terms of the projects where they are few, and a condition of each row.
 *  $1 project scope, $2 who asks, $3 project or null, $4 terms. */
export const ASKED = `visible AS MATERIALIZED (
  SELECT id
  FROM projects
  WHERE deleted_at IS NULL AND ($1::uuid[] IS NULL OR id = ANY($1)) AND ($3::uuid IS NULL OR id = $3)
    AND project_role(id, $2) IS NOT NULL
), asked AS MATERIALIZED (
  SELECT array_agg(id) AS ids, $4 || CASE WHEN count(*) <= ${MAX_SIGNS}
    THEN ' & (' || string_agg('''' || chr(1) || '@' || id || '''', ' | ') || ')' ELSE '' END AS query
  FROM visible
)`;

/** $5 numbers below which each kind begins, $6 how many of each kind, $7 the first word. */
export const SEARCH: PreparedStatement = {
  name: 'search',
  text: `
WITH ${ASKED}, found AS (${searchKinds.map(found).join('\n  UNION ALL')}
)
SELECT f.kind, f.number, f.task_id, f.attempt_id, t.project_id, t.title, f.at,
  CASE WHEN starts > 1 THEN '… ' ELSE '' END || substr(f.text, starts, ${EXCERPT})
    || CASE WHEN length(f.text) >= starts + ${EXCERPT} THEN ' …' ELSE '' END AS excerpt
FROM found f
CROSS JOIN LATERAL (SELECT project_id, title FROM tasks WHERE id = f.task_id LIMIT 1) t
CROSS JOIN LATERAL (SELECT greatest(strpos(lower(f.text), $7) - ${BEFORE}, 1) AS starts) place`,
};
