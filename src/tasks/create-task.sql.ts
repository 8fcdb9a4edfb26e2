import { grants, PROJECT_ROLES } from '../platform/access/scopes.js';
import type { PreparedStatement } from '../platform/database/database.js';
import { NOW } from '../platform/database/record-time.js';
import type { NewTask } from './task.entity.js';

/** Columns of a new task, with their types. */
const FIELDS: Record<keyof NewTask, string> = {
  id: 'uuid',
  project_id: 'uuid',
  parent_task_id: 'uuid',
  title: 'text',
  description: 'text',
  stage: 'text',
  is_blocked: 'boolean',
  assignee_worker_id: 'uuid',
  assignee_text: 'text',
  created_by_worker_id: 'uuid',
  made_by_attempt_id: 'uuid',
  stored_by: 'text',
  priority: 'text',
  progress_percent: 'int',
  tags: 'text[]',
  due_date: 'timestamptz',
  started_at: 'timestamptz',
  completed_at: 'timestamptz',
};
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
const numbered = (name: keyof typeof FIELDS): string => `$${NAMES.indexOf(name) + 1}::${FIELDS[name]}`;
/** Values after the fields: audit details, name and type of the actor, the caller; then those of the wider
 *  statements. */
const [DETAILS, ACTOR, ACTOR_TYPE, CALLER, SCOPE, WHO, OPERATION, PRINCIPAL, KEY, HASH, RESULT, WAIT] = Array.from(
  { length: 12 },
  (_, index) => `$${NAMES.length + 1 + index}`,
);

export const newTaskValues = (task: NewTask): unknown[] =>
  NAMES.map((name) => (task[name] === NOW ? 'now' : task[name]));

/** The row, its audit and its event. */
const task = (source: string): string => `task AS (
    INSERT INTO tasks (
      ${NAMES.slice(0, 9).join(', ')},
      ${NAMES.slice(9).join(', ')}
    )
    SELECT ${NAMES.slice(0, 9).map(numbered).join(', ')},
      ${NAMES.slice(9).map(numbered).join(', ')}
    ${source}
    RETURNING id, project_id, title, status, stage
  ), fact AS (
    INSERT INTO audit_log (
      entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type, caller, details,
      created_at
    )
    SELECT 'task', t.id, t.id, t.project_id, 'created',
      w.id, coalesce(w.handle, ${ACTOR}::text), coalesce(w.type, ${ACTOR_TYPE}::text), ${CALLER}::text,
      ${DETAILS}::jsonb, now()
    FROM task t LEFT JOIN workers w ON w.id = ${numbered('created_by_worker_id')}
  ), event AS (
    INSERT INTO events (project_id, type, subject, data)
    SELECT project_id, 'taskyard.task.created', id,
      jsonb_build_object('task_id', id, 'title', title, 'status', status, 'stage', stage)
    FROM task
  )`;

/** Roles that include the scope. */
const MAY_WRITE = `p.project_role IN (${PROJECT_ROLES.filter((role) => grants(role, 'write'))
  .map((role) => `'${role}'`)
  .join(', ')})`;

/** Not locked: the foreign key takes the only lock on it. */
const project = `project AS (
    SELECT id, project_role(id, ${WHO}) AS project_role
    FROM projects
    WHERE id = ${numbered('project_id')} AND deleted_at IS NULL
      AND (${SCOPE}::uuid[] IS NULL OR id = ANY(${SCOPE}::uuid[]))
  )`;

/** The key is stored with its result, in the same statement as the task. */
const claimed = `patience AS (
    SELECT set_config('lock_timeout', ${WAIT}::text, true) AS bounded
  ), claimed AS (
    INSERT INTO idempotency_keys (
      operation, principal_id, key, request_hash, state, result, project_id, created_at, updated_at
    )
    SELECT ${OPERATION}::text, ${PRINCIPAL}::text, ${KEY}::text, ${HASH}::text, 'completed', ${RESULT}::jsonb,
      p.id, now(), now()
    FROM patience, project p
    WHERE bounded IS NOT NULL AND ${MAY_WRITE}
    ON CONFLICT DO NOTHING RETURNING key
  )`;

const outcome = `SELECT (SELECT project_role FROM project) AS project_role, EXISTS (SELECT 1 FROM project) AS is_known,
    EXISTS (SELECT 1 FROM task) AS is_created`;

export const INSERT: PreparedStatement = {
  name: 'insert_task',
  text: `
  WITH ${task('')}
  SELECT id FROM task`,
};
export const CREATE: PreparedStatement = {
  name: 'create_task',
  text: `
  WITH ${project}, ${task(`FROM project p WHERE ${MAY_WRITE}`)}
  ${outcome}`,
};
export const CREATE_ONCE: PreparedStatement = {
  name: 'create_task_once',
  text: `
  WITH ${project}, ${claimed}, ${task('FROM claimed')}
  ${outcome}`,
};
