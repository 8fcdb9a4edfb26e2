/** What the ids from one to another are, with the ids of what they belong to; a task is of its one attempt,
 *  if it has just one. */
const RECORDS = `
  SELECT 'project' AS kind, p.id AS project_id, NULL::uuid AS task_id, NULL::uuid AS attempt_id,
    NULL::uuid AS session_id, NULL::int AS attempts
  FROM projects p WHERE p.id BETWEEN $1::uuid AND $4::uuid AND p.deleted_at IS NULL
  UNION ALL
  SELECT 'repository', r.project_id, NULL, NULL, NULL, NULL
  FROM repos r JOIN projects p ON p.id = r.project_id WHERE r.id BETWEEN $1::uuid AND $4::uuid AND p.deleted_at IS NULL
  UNION ALL
  SELECT 'task', t.project_id, t.id, CASE WHEN a.attempts = 1 THEN a.ids[1] END, NULL, a.attempts
  FROM live_tasks t
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS attempts, array_agg(id) AS ids
    FROM (SELECT id FROM attempts WHERE task_id = t.id LIMIT 2) two
  ) a
  WHERE t.id BETWEEN $1::uuid AND $4::uuid
  UNION ALL
  SELECT 'attempt', a.project_id, a.task_id, a.id, NULL, NULL
  FROM attempts a JOIN live_tasks t ON t.id = a.task_id WHERE a.id BETWEEN $1::uuid AND $4::uuid
  UNION ALL
  SELECT 'session', s.project_id, a.task_id, a.id, s.id, NULL
  FROM sessions s JOIN attempts a ON a.id = s.attempt_id JOIN live_tasks t ON t.id = a.task_id
  WHERE s.id BETWEEN $1::uuid AND $4::uuid
  UNION ALL
  SELECT 'execution', e.project_id, e.task_id, e.attempt_id, e.session_id, NULL
  FROM executions e JOIN live_tasks t ON t.id = e.task_id WHERE e.id BETWEEN $1::uuid AND $4::uuid`;

/** Titles and branches have no index: only the newest are looked at. */
const LOOKED_AT = 2_000;
const TITLED = `
  SELECT 'title' AS kind, project_id, id AS task_id, NULL::uuid AS attempt_id, NULL::uuid AS session_id,
    NULL::int AS attempts
  FROM (SELECT id, project_id, title FROM live_tasks ORDER BY number DESC LIMIT ${LOOKED_AT}) t
  WHERE lower(title) = lower($1)
  UNION ALL
  SELECT 'branch', a.project_id, a.task_id, a.id, NULL, NULL
  FROM (SELECT id, task_id, project_id, branch FROM attempts ORDER BY id DESC LIMIT ${LOOKED_AT}) a
  JOIN live_tasks t ON t.id = a.task_id
  WHERE a.branch = $1`;

/** The beginning of an id may be that of several records. */
const MAX_FOUND = 20;
/** Nothing of a project that the caller may not see. */
const visible = (found: string): string => `
  SELECT kind, project_id, task_id, attempt_id, session_id, attempts FROM (${found}) found
  WHERE ($2::uuid[] IS NULL OR project_id = ANY($2)) AND project_role(project_id, $3) IS NOT NULL
  LIMIT ${MAX_FOUND}`;
export const BY_ID = visible(RECORDS);
export const BY_TEXT = visible(TITLED);

/** By slug, else by name in any case. */
export const PROJECTS_NAMED = `
  SELECT id, slug = $1 AS is_slug FROM projects
  WHERE deleted_at IS NULL AND (slug = $1 OR lower(name) = lower($1))
    AND ($2::uuid[] IS NULL OR id = ANY($2)) AND project_role(id, $3) IS NOT NULL
  ORDER BY is_slug DESC LIMIT 2`;

/** Of the project that the ids of a call lead to. */
export const REPOS_NAMED = `
  SELECT r.id, lower(r.name) AS name FROM repos r
  WHERE lower(r.name) = ANY($1) AND ($2::uuid[] IS NULL OR project_id = ANY($2))
    AND project_role(project_id, $3) IS NOT NULL
    AND project_id = coalesce(
      $4::uuid,
      (SELECT t.project_id FROM live_tasks t WHERE t.id = $5::uuid),
      (SELECT a.project_id FROM attempts a WHERE a.id = $6::uuid)
    )`;
