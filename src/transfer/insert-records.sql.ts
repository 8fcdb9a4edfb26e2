/** Statements that insert imported records: $1 a list of rows as JSON, each with its `position`. They return the ids of
 *  what was inserted. */

const rows = (columns: string): string => `jsonb_to_recordset($1::jsonb) AS r (position int, id uuid, ${columns})`;
const TIMES = 'created_at timestamptz, updated_at timestamptz';
const CREATED = 'coalesce(r.created_at, now())';
const UPDATED = 'coalesce(r.updated_at, r.created_at, now())';

/** $2 worker and $3 name, $4 type and $5 caller of who imports, $6 whose storage. A fact of the audit for each. */
export const INSERT_TASKS = `
  WITH added AS (
    INSERT INTO tasks (
      id, project_id, parent_task_id, title, description, stage, is_blocked, assignee_worker_id, assignee_text,
      created_by_worker_id, stored_by, priority, progress_percent, tags, due_date, started_at, completed_at,
      archived_at, created_at, updated_at
    )
    SELECT r.id, r.project_id, r.parent_task_id, r.title, r.description, coalesce(r.stage, 'INIT'),
      coalesce(r.is_blocked, false), w.id, CASE WHEN w.id IS NULL THEN r.assignee END,
      $2::uuid, $6, r.priority, coalesce(r.progress_percent, 0), coalesce(r.tags, '{}'), r.due_date, r.started_at,
      r.completed_at, r.archived_at, ${CREATED}, ${UPDATED}
    FROM ${rows(`project_id uuid, parent_task_id uuid, title text, description text, stage text, is_blocked boolean,
      assignee text, priority text, progress_percent int, tags text[], due_date timestamptz, started_at timestamptz,
      completed_at timestamptz, archived_at timestamptz, ${TIMES}`)}
    LEFT JOIN workers w ON w.handle = r.assignee
    ORDER BY r.position
    RETURNING id, project_id, title, stage
  ), fact AS (
    INSERT INTO audit_log (
      entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type, caller, details,
      created_at
    )
    SELECT 'task', t.id, t.id, t.project_id, 'imported', w.id, coalesce(w.handle, $3), coalesce(w.type, $4), $5::text,
      jsonb_build_object('after', jsonb_build_object('title', t.title, 'stage', t.stage)), now()
    FROM added t
    LEFT JOIN workers w ON w.id = $2::uuid
  )
  SELECT id FROM added`;

export const INSERT_THOUGHTS = `
  INSERT INTO thought_records (
    id, task_id, position, type, agent_id, recorded_by, content, session_id, timestamp, version, prev_hash, hash
  )
  SELECT r.id, r.task_id, r.link, r.type, r.agent_id, r.recorded_by, r.content, r.session_id, r.timestamp, r.version,
    r.prev_hash, r.hash
  FROM ${rows(`task_id uuid, link bigint, type text, agent_id text, recorded_by text, content text, session_id text,
    timestamp text, version smallint, prev_hash text, hash text`)}
  ORDER BY r.position
  RETURNING id`;

/** The end of each chain. */
export const CHAIN_ENDS = `
  SELECT DISTINCT ON (task_id) task_id, position, hash
  FROM thought_heads
  WHERE task_id = ANY($1)
  ORDER BY task_id, position DESC`;

/** History: no worktree was ever made of it here, and its delivery is as it was said to be, whatever its turns are. */
export const INSERT_ATTEMPTS = `
  WITH given AS (
    SELECT r.id, r.position, r.task_id, r.branch, r.repositories, r.delivery_state, r.pr_url, r.files_changed,
      r.lines_added, r.lines_deleted, r.created_at, r.updated_at
    FROM ${rows(`task_id uuid, branch text, repositories jsonb, delivery_state text, pr_url text, files_changed int,
      lines_added int, lines_deleted int, ${TIMES}`)}
  ), added AS (
    INSERT INTO attempts (
      id, task_id, project_id, branch, workspace_state, is_imported, delivery_state, delivery_state_at, pr_url,
      files_changed, lines_added, lines_deleted, created_at, updated_at
    )
    SELECT r.id, r.task_id, t.project_id, r.branch, 'removed', true, coalesce(r.delivery_state, 'none'),
      greatest(now(), r.updated_at), r.pr_url, r.files_changed, r.lines_added, r.lines_deleted, ${CREATED}, ${UPDATED}
    FROM given r
    JOIN tasks t ON t.id = r.task_id
    ORDER BY r.position
    RETURNING id
  ), places AS (
    INSERT INTO attempt_repos (attempt_id, repo_id, position, repo_name, repo_path, target_branch, base_commit)
    SELECT a.id, p.id, (o.place - 1)::int, p.name, p.path, o.repo ->> 'target_branch', o.repo ->> 'base_commit'
    FROM added a
    JOIN given g ON g.id = a.id
    CROSS JOIN LATERAL jsonb_array_elements(g.repositories) WITH ORDINALITY AS o (repo, place)
    JOIN repos p ON p.id = (o.repo ->> 'repo_id')::uuid
    ON CONFLICT DO NOTHING
  )
  SELECT id FROM added`;

export const INSERT_SESSIONS = `
  INSERT INTO sessions (id, attempt_id, project_id, role, executor, variant, created_at, updated_at)
  SELECT r.id, a.id, a.project_id, coalesce(r.role, 'author'), r.executor, r.variant, ${CREATED}, ${UPDATED}
  FROM ${rows(`attempt_id uuid, role text, executor text, variant text, ${TIMES}`)}
  JOIN attempts a ON a.id = r.attempt_id AND a.is_imported
  ORDER BY r.position
  RETURNING id`;

const ENDED = 'coalesce(r.completed_at, r.updated_at, r.created_at, now())';

/** $2 whose turns they are. */
export const INSERT_TURNS = `
  INSERT INTO executions (
    id, attempt_id, session_id, task_id, project_id, run_reason, status, prompt, is_task_text, variant, started_by,
    exit_code, failure_summary, final_message, input_tokens, cached_input_tokens, output_tokens, cost_usd, created_at,
    updated_at, started_at, completed_at
  )
  SELECT r.id, a.id, s.id, a.task_id, a.project_id, coalesce(r.run_reason, 'codingagent'),
    CASE r.status WHEN 'running' THEN 'failed' ELSE r.status END, r.prompt, coalesce(r.is_task_text, false), r.variant,
    $2, r.exit_code,
    CASE r.status WHEN 'running' THEN 'It had not ended when it was exported.' ELSE r.failure_summary END,
    r.final_message, r.input_tokens, r.cached_input_tokens, r.output_tokens, r.cost_usd,
    coalesce(r.created_at, r.started_at, ${ENDED}), coalesce(r.updated_at, ${ENDED}), r.started_at, ${ENDED}
  FROM ${rows(`session_id uuid, run_reason text, status text, prompt text, is_task_text boolean, variant text,
    exit_code int, failure_summary text, final_message text, input_tokens bigint, cached_input_tokens bigint,
    output_tokens bigint, cost_usd float8, started_at timestamptz, completed_at timestamptz, ${TIMES}`)}
  JOIN sessions s ON s.id = r.session_id
  JOIN attempts a ON a.id = s.attempt_id AND a.is_imported
  ORDER BY r.position
  RETURNING id`;

/** $2 who imports, whom alone they can be changed by, and $3 whose storage. */
export const INSERT_COMMENTS = `
  INSERT INTO review_comments (
    id, attempt_id, project_id, author, author_type, author_id, stored_by, path, side, line, end_line, lines, text,
    severity, sent_at, created_at, updated_at
  )
  SELECT r.id, a.id, a.project_id, r.author, coalesce(r.author_type, 'human'), $2, $3, r.path, r.side, r.line,
    greatest(r.line, r.end_line),
    coalesce(r.lines, ''), r.text, r.severity, r.sent_at, ${CREATED}, ${UPDATED}
  FROM ${rows(`attempt_id uuid, author text, author_type text, path text, side text, line int, end_line int, lines text,
    text text, severity text, sent_at timestamptz, ${TIMES}`)}
  JOIN attempts a ON a.id = r.attempt_id AND a.is_imported
  ORDER BY r.position
  RETURNING id`;
