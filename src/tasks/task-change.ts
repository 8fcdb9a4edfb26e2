import { NOW } from '../platform/database/record-time.js';
import type { NewTask } from './task.entity.js';
import { statusOf } from './task-stage.js';
import { taskflowStatusOf } from './taskflow-status.js';

/** Fields of a task that a caller may change; everything else follows. */
export type TaskPatch = Partial<
  Pick<
    NewTask,
    | 'project_id'
    | 'parent_task_id'
    | 'title'
    | 'description'
    | 'stage'
    | 'is_blocked'
    | 'assignee_worker_id'
    | 'assignee_text'
    | 'priority'
    | 'progress_percent'
    | 'tags'
    | 'due_date'
  >
>;
type TaskChange = Partial<NewTask>;
export interface Fact {
  action: string;
  details: Record<string, unknown>;
}

/** The changed fields, with the consequences of a new stage for block, times and progress. */
export function changeOf(task: NewTask, patch: TaskPatch): TaskChange {
  const moved = patch.stage !== undefined && patch.stage !== task.stage ? { is_blocked: false } : {};
  const wanted: TaskChange = { ...moved, ...patch };
  const change = Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => value !== undefined && !isSame(task[field as keyof NewTask], value),
    ),
  ) as TaskChange;
  return 'stage' in change ? { ...change, ...consequences(task, change) } : change;
}

function consequences(task: NewTask, { stage }: TaskChange): TaskChange {
  const status = statusOf(stage!);
  return {
    ...(status === 'inprogress' && task.started_at === null ? { started_at: NOW } : {}),
    ...(status === 'done' ? { completed_at: NOW, progress_percent: 100 } : {}),
    ...(status !== 'done' && task.completed_at !== null ? { completed_at: null } : {}),
  };
}

/** One audit row per changed fact: status, assignee, progress, and all other fields together. */
export function factsOf(task: NewTask, change: TaskChange, note?: string): Fact[] {
  const after = { ...task, ...change };
  const facts: Fact[] = [];
  if ('assignee_worker_id' in change || 'assignee_text' in change)
    facts.push({ action: 'assigned', details: { before: assignee(task), after: assignee(after) } });
  if ('stage' in change || 'is_blocked' in change)
    facts.push({
      action: 'status_changed',
      details: { before: state(task), after: state(after), ...(note ? { note } : {}) },
    });
  else if ('progress_percent' in change || note)
    facts.push({
      action: 'progress_updated',
      details: { before: task.progress_percent, after: after.progress_percent, ...(note ? { note } : {}) },
    });
  const others = (
    ['project_id', 'parent_task_id', 'title', 'description', 'priority', 'tags', 'due_date'] as const
  ).filter((field) => field in change);
  if (others.length)
    facts.push({
      action: 'updated',
      details: Object.fromEntries(others.map((field) => [field, { before: task[field], after: after[field] }])),
    });
  return facts;
}

const assignee = (task: NewTask) => task.assignee_worker_id ?? task.assignee_text;
const state = (task: NewTask) => ({
  status: statusOf(task.stage),
  taskflow_status: taskflowStatusOf(task),
  stage: task.stage,
  is_blocked: task.is_blocked,
});

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (a instanceof Date && b instanceof Date && a.getTime() === b.getTime()) ||
  (Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b));
