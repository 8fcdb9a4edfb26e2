/** Rows as the server would have written them: ids that grow with time, some attempts a task, one session and one run
 *  each. */
const NEW_ID = `
CREATE OR REPLACE FUNCTION pg_temp.new_id(n bigint) RETURNS uuid LANGUAGE sql AS $$
  SELECT (lpad(to_hex(1763700000000 + n), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
    || '8' || substr(md5(random()::text), 1, 15))::uuid
$$`;

const PROJECT = `
INSERT INTO projects (id, name, slug, created_at, updated_at)
VALUES (gen_random_uuid(), $1, $1, now(), now())
RETURNING id`;

const TASKS = `
INSERT INTO tasks (id, project_id, title, description, stage, created_at, updated_at)
SELECT pg_temp.new_id(n), $1, 'Task ' || n || ': let the health check answer quickly',
  repeat('What is to be done, and why it matters. ', 12),
  (ARRAY['INIT', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'])[1 + n % 5],
  now() - ($2 - n) * interval '1 minute', now() - ($2 - n) * interval '1 minute'
FROM generate_series(1, $2::int) n`;

const ATTEMPTS = `
INSERT INTO attempts (id, task_id, project_id, branch, workspace_state, created_at, updated_at)
SELECT pg_temp.new_id(t.number * 10 + n), t.id, $1,
  'ty/' || substr(md5(random()::text), 1, 8) || '-let-the-health-check-answer-quickly', 'ready',
  t.created_at + n * interval '10 seconds', t.created_at + n * interval '10 seconds'
FROM tasks t, generate_series(1, $2::int) n WHERE t.project_id = $1 ORDER BY t.number, n`;

const SESSIONS = `
INSERT INTO sessions (id, attempt_id, project_id, executor, created_at, updated_at)
SELECT pg_temp.new_id(a.number * 10), a.id, $1, 'SHELL', a.created_at, a.created_at
FROM attempts a WHERE a.project_id = $1 ORDER BY a.number`;

/** One run in a thousand is live, one in ten has failed. */
const EXECUTIONS = `
INSERT INTO executions (id, attempt_id, session_id, task_id, project_id, run_reason,
  status, prompt, started_by, created_at, updated_at)
SELECT pg_temp.new_id(a.number * 10), a.id, s.id, a.task_id, $1, 'codingagent',
  CASE WHEN a.number % 1000 = 7 THEN 'running' WHEN a.number % 10 = 3 THEN 'failed' ELSE 'completed' END,
  'what the agent was told', 'local-owner', a.created_at, a.created_at
FROM attempts a JOIN sessions s ON s.attempt_id = a.id WHERE a.project_id = $1 ORDER BY a.number`;

/** A project with so many tasks. @returns its id */
export async function fillTasks(client, name, tasks) {
  await client.query(NEW_ID);
  const { rows } = await client.query(PROJECT, [name]);
  await client.query(TASKS, [rows[0].id, tasks]);
  await client.query('VACUUM ANALYZE');
  return rows[0].id;
}

/** The same with so many attempts of each. @returns its id */
export async function fillProject(client, name, tasks, attempts = 3) {
  const id = await fillTasks(client, name, tasks);
  await client.query(ATTEMPTS, [id, attempts]);
  for (const statement of [SESSIONS, EXECUTIONS]) await client.query(statement, [id]);
  await client.query('VACUUM ANALYZE');
  return id;
}
