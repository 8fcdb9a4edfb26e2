import { fillTasks } from './board-data.mjs';

const BATCH = 500_000;
/** A count that one transaction changes very often becomes slower to change each time. */
const RUNS_BATCH = 100_000;

/** Common and rare values of every field that is filtered by; one word in a hundred thousand tasks. */
const TASKS = `
INSERT INTO tasks (id, project_id, title, description, stage, priority, tags, assignee_text, executors, archived_at)
SELECT gen_random_uuid(), $1, 'Task ' || n || ': let the health check answer quickly',
  'What is to be done in place' || n % 5000 || CASE WHEN n % 100000 = 1 THEN ' for the quokka' ELSE '' END,
  (ARRAY['INIT', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'])[1 + n % 5],
  (ARRAY['high', 'low', NULL])[1 + n % 3],
  CASE WHEN n % 100000 = 2 THEN '{backend,seldom}' ELSE '{backend}' END::text[],
  CASE WHEN n % 7 = 0 THEN 'Grace' END, CASE WHEN n % 4 = 0 THEN '{SHELL}' ELSE '{}' END::text[],
  CASE WHEN n % 11 = 9 THEN now() END
FROM generate_series($2::int, $3::int) n`;

/** An attempt with one run and one comment of every hundredth task. */
const RUNS = `
WITH chosen AS (
  SELECT id, number, gen_random_uuid() AS attempt, gen_random_uuid() AS session
  FROM tasks
  WHERE project_id = $1 AND number % 100 = 0 AND number BETWEEN $2 AND $3
), attempts AS (
  INSERT INTO attempts (id, task_id, project_id, branch, workspace_state)
  SELECT attempt, id, $1, 'ty/of-the-bench', 'ready' FROM chosen
), sessions AS (
  INSERT INTO sessions (id, attempt_id, project_id, executor) SELECT session, attempt, $1, 'SHELL' FROM chosen
), comments AS (
  INSERT INTO review_comments (id, attempt_id, project_id, author, author_id, stored_by, path, side, line, end_line,
    lines, text)
  SELECT gen_random_uuid(), attempt, $1, '@owner', 'local-owner', 'local-owner', 'web/a.ts', 'new', 1, 1, '',
    'Why does the health check of place' || number % 5000 || ' wait?'
  FROM chosen
)
INSERT INTO executions (id, attempt_id, session_id, task_id, project_id, run_reason, status, prompt, final_message,
  started_by, completed_at)
SELECT gen_random_uuid(), attempt, session, id, $1, 'codingagent',
  CASE WHEN number % 300 = 0 THEN 'failed' ELSE 'completed' END,
  'Make the health check answer in place' || number % 5000,
  'The health check answers within ' || number % 100 || ' ms now.', 'local-owner', now()
FROM chosen ORDER BY number`;

/** A project with so many tasks and some runs; the index of terms is made at the end. @returns its id */
export async function fillLargeProject(client, name, tasks) {
  const id = await fillTasks(client, name, 0);
  const { rows } = await client.query("SELECT pg_get_indexdef('tasks_by_terms'::regclass) AS made");
  if (tasks > BATCH) await client.query('DROP INDEX tasks_by_terms');
  await addTasks(client, id, 1, tasks);
  await client.query("SET maintenance_work_mem = '1GB'");
  if (tasks > BATCH) await client.query(rows[0].made);
  const numbers = await client.query(
    'SELECT min(number)::int AS first, max(number)::int AS last FROM tasks WHERE project_id = $1',
    [id],
  );
  const { first, last } = numbers.rows[0];
  for (const [from, to] of batches(first, last, RUNS_BATCH)) await client.query(RUNS, [id, from, to]);
  await client.query('VACUUM ANALYZE');
  return id;
}

/** Those of its tasks from one up to another. */
export async function addTasks(client, id, first, last) {
  for (const [from, to] of batches(first, last, BATCH)) await client.query(TASKS, [id, from, to]);
}

function* batches(first, last, size) {
  for (let from = first; from <= last; from += size) yield [from, Math.min(last, from + size - 1)];
}
