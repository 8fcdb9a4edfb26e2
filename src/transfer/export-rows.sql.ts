import type { InnerKind } from './external-records.repository.js';
import { OWN_SYSTEM } from './external-records.repository.js';
import { deliveredStates } from './history-lines.dto.js';

/** What an export reads, in pages. Columns are called as the fields of the lines are; what a line refers to is two
 *  columns, `<field>_system` and `<field>_external_id`. */
export interface PagedRows {
  kind: InnerKind;
  /** $1 the project, or ids of tasks; $2 the last place seen, $3 how many. */
  text: string;
  columns: readonly string[];
  /** Columns without a narrow limit. */
  long: readonly string[];
  json?: string;
  /** The place before the first. */
  start: string;
}

const NO_NUMBER = '0';
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Name of a record where it comes from, or else its own. @param joined alias of its row in external_records */
const named = (joined: string, id: string, field = ''): string =>
  `coalesce(${joined}.system, '${OWN_SYSTEM}') AS ${field}system, ` +
  `coalesce(${joined}.external_id, ${id}::text) AS ${field}external_id`;
const join = (joined: string, id: string): string =>
  `LEFT JOIN external_records ${joined} ON ${joined}.record_id = ${id}`;
const reference = (field: string): string[] => [`${field}_system`, `${field}_external_id`];
const TIMES = ['created_at', 'updated_at'];
const prefixed = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${alias}.${column}`).join(', ');

const REPO_FIELDS = ['name', 'url', 'default_target_branch', 'setup_script', 'cleanup_script', 'runs_on'];
export const REPOSITORIES: PagedRows = {
  kind: 'repository',
  text: `
  SELECT r.number AS row_place, ${named('x', 'r.id')}, CASE WHEN r.url IS NULL THEN r.path END AS path,
    nullif(c.checks, '[]') AS checks, ${prefixed('r', REPO_FIELDS)}
  FROM repos r
  LEFT JOIN repo_checks c ON c.repo_id = r.id
  ${join('x', 'r.id')}
  WHERE r.project_id = $1 AND r.number > $2
  ORDER BY r.number LIMIT $3`,
  columns: ['system', 'external_id', 'path', 'checks', ...REPO_FIELDS],
  long: ['setup_script', 'cleanup_script'],
  json: 'checks',
  start: NO_NUMBER,
};

const TASK_FIELDS = [
  'title',
  'description',
  'stage',
  'is_blocked',
  'priority',
  'tags',
  'progress_percent',
  'due_date',
  'started_at',
  'completed_at',
  'archived_at',
  ...TIMES,
];
/** A task whose parent is deleted stands alone. */
const tasks = (source: string): PagedRows => ({
  kind: 'task',
  text: `
  SELECT t.number AS row_place, t.id, ${named('x', 't.id')}, p.id AS parent_id, p.number AS parent_row_place,
    CASE WHEN p.id IS NOT NULL THEN coalesce(px.system, '${OWN_SYSTEM}') END AS parent_system,
    coalesce(px.external_id, p.id::text) AS parent_external_id, coalesce(w.handle, t.assignee_text) AS assignee,
    ${prefixed('t', TASK_FIELDS)}
  FROM (${source}) chosen
  JOIN tasks t ON t.id = chosen.id
  LEFT JOIN workers w ON w.id = t.assignee_worker_id
  LEFT JOIN tasks p ON p.id = t.parent_task_id AND p.project_id = t.project_id AND p.deleted_at IS NULL
  ${join('x', 't.id')}
  ${join('px', 'p.id')}`,
  columns: [
    'id',
    'parent_id',
    'parent_row_place',
    'system',
    'external_id',
    ...reference('parent'),
    'assignee',
    ...TASK_FIELDS,
  ],
  long: ['title', 'description'],
  start: NO_NUMBER,
});

/** Each part has an index of its own. */
const ofProject = (where: string): string => `
    (SELECT id, number FROM tasks WHERE project_id = $1 AND ${where} AND number > $2 ORDER BY number LIMIT $3)`;
export const TASKS = tasks(`
    ${ofProject('deleted_at IS NULL AND archived_at IS NULL')}
    UNION ALL ${ofProject('(deleted_at IS NOT NULL OR archived_at IS NOT NULL) AND deleted_at IS NULL')}
    ORDER BY number LIMIT $3`);
export const CHOSEN_TASKS = tasks('SELECT id FROM tasks WHERE id = ANY($1) AND number > $2 ORDER BY number LIMIT $3');

const THOUGHT_FIELDS = ['type', 'content', 'agent_id', 'session_id', 'recorded_by'];
const THOUGHTS: PagedRows = {
  kind: 'thought',
  text: `
  SELECT r.number AS row_place, ${named('x', 'r.id')}, ${named('tx', 'r.task_id', 'task_')}, r.timestamp AS created_at,
    ${prefixed('r', THOUGHT_FIELDS)}
  FROM thought_records r
  ${join('x', 'r.id')}
  ${join('tx', 'r.task_id')}
  WHERE r.task_id = ANY($1) AND r.number > $2
  ORDER BY r.number LIMIT $3`,
  columns: ['system', 'external_id', ...reference('task'), 'created_at', ...THOUGHT_FIELDS],
  long: ['content', 'agent_id', 'session_id'],
  start: NO_NUMBER,
};

const ATTEMPT_FIELDS = ['branch', 'pr_url', 'files_changed', 'lines_added', 'lines_deleted', ...TIMES];
const ATTEMPTS: PagedRows = {
  kind: 'attempt',
  text: `
  SELECT a.number AS row_place, ${named('x', 'a.id')}, ${named('tx', 'a.task_id', 'task_')},
    CASE
      WHEN s.delivery_state = 'pr_queued' THEN 'pr_open'
      WHEN s.delivery_state = ANY ('{${deliveredStates.join(',')}}') THEN s.delivery_state
    END AS delivery_state,
    (
      SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'repository', jsonb_build_object(
          'external_id', coalesce(rx.external_id, o.repo_id::text), 'system', coalesce(rx.system, '${OWN_SYSTEM}')
        ),
        'target_branch', o.target_branch, 'base_commit', o.base_commit
      )) ORDER BY o.position)
      FROM attempt_repos o
      ${join('rx', 'o.repo_id')}
      WHERE o.attempt_id = a.id
    ) AS repositories,
    ${prefixed('a', ATTEMPT_FIELDS)}
  FROM attempts a
  JOIN attempt_summaries s ON s.attempt_id = a.id
  ${join('x', 'a.id')}
  ${join('tx', 'a.task_id')}
  WHERE a.task_id = ANY($1) AND a.number > $2
  ORDER BY a.number LIMIT $3`,
  columns: ['system', 'external_id', ...reference('task'), 'delivery_state', 'repositories', ...ATTEMPT_FIELDS],
  long: [],
  json: 'repositories',
  start: NO_NUMBER,
};

const SESSION_FIELDS = ['executor', 'variant', 'role', ...TIMES];
const SESSIONS: PagedRows = {
  kind: 'session',
  text: `
  SELECT s.id AS row_place, ${named('x', 's.id')}, ${named('ax', 'a.id', 'attempt_')},
    ${prefixed('s', SESSION_FIELDS)}
  FROM attempts a
  JOIN sessions s ON s.attempt_id = a.id
  ${join('x', 's.id')}
  ${join('ax', 'a.id')}
  WHERE a.task_id = ANY($1) AND s.id > $2
  ORDER BY s.id LIMIT $3`,
  columns: ['system', 'external_id', ...reference('attempt'), ...SESSION_FIELDS],
  long: [],
  start: NO_ID,
};

const TURN_FIELDS = [
  'run_reason',
  'prompt',
  'is_task_text',
  'final_message',
  'variant',
  'failure_summary',
  'exit_code',
  'cost_usd',
  'started_at',
  'completed_at',
  ...TIMES,
];
const TOKENS = ['input_tokens', 'cached_input_tokens', 'output_tokens'];
const TURNS: PagedRows = {
  kind: 'turn',
  text: `
  SELECT e.number AS row_place, ${named('x', 'e.id')}, ${named('sx', 'e.session_id', 'session_')},
    CASE WHEN e.status IN ('queued', 'running') THEN 'running' ELSE e.status END AS status,
    ${TOKENS.map((column) => `e.${column}::float8 AS ${column}`).join(', ')},
    ${prefixed('e', TURN_FIELDS)}
  FROM attempts a
  JOIN executions e ON e.attempt_id = a.id AND e.run_reason NOT IN ('devserver', 'check')
  ${join('x', 'e.id')}
  ${join('sx', 'e.session_id')}
  WHERE a.task_id = ANY($1) AND e.number > $2
  ORDER BY e.number LIMIT $3`,
  columns: ['system', 'external_id', ...reference('session'), 'status', ...TOKENS, ...TURN_FIELDS],
  long: ['prompt', 'final_message', 'failure_summary'],
  start: NO_NUMBER,
};

const COMMENT_FIELDS = [
  ...['author', 'author_type', 'path', 'side', 'line', 'end_line', 'lines', 'text', 'severity', 'sent_at'],
  ...TIMES,
];
const COMMENTS: PagedRows = {
  kind: 'comment',
  text: `
  SELECT c.number AS row_place, ${named('x', 'c.id')}, ${named('ax', 'a.id', 'attempt_')},
    ${prefixed('c', COMMENT_FIELDS)}
  FROM attempts a
  JOIN review_comments c ON c.attempt_id = a.id
  ${join('x', 'c.id')}
  ${join('ax', 'a.id')}
  WHERE a.task_id = ANY($1) AND c.number > $2
  ORDER BY c.number LIMIT $3`,
  columns: ['system', 'external_id', ...reference('attempt'), ...COMMENT_FIELDS],
  long: ['path', 'lines', 'text'],
  start: NO_NUMBER,
};

/** What hangs on tasks, in the order in which it is written behind them. */
export const OF_TASKS: readonly PagedRows[] = [THOUGHTS, ATTEMPTS, SESSIONS, TURNS, COMMENTS];
