import type { NewEvent } from '../events/events.repository.js';
import type { NewTask, Task } from './task.entity.js';
import { statusOf } from './task-stage.js';

/** Fields that the server sets as a consequence of a move. */
const CONSEQUENCES = ['is_blocked', 'progress_percent', 'started_at', 'completed_at'];

/** Events of a change for those who watch the board: moved, updated. A task that changes projects appears in both. */
export function eventsOf(task: Task, change: Partial<NewTask>): NewEvent[] {
  const after = { ...task, ...change };
  const isMove = change.stage !== undefined;
  const fields = Object.keys(change).filter((field) => field !== 'stage' && !(isMove && CONSEQUENCES.includes(field)));
  const moved = { task_id: task.id, before: place(task), after: place(after) };
  const updated = { task_id: task.id, title: after.title, fields };
  const projects = [...new Set([task.project_id, after.project_id])];
  return projects.flatMap((project_id) => [
    ...(isMove ? [{ project_id, type: 'taskyard.task.moved' as const, subject: task.id, data: moved }] : []),
    ...(fields.length > 0
      ? [{ project_id, type: 'taskyard.task.updated' as const, subject: task.id, data: updated }]
      : []),
  ]);
}

export const lifeEventOf = (
  became: 'deleted' | 'restored' | 'archived' | 'unarchived',
  { id, project_id, title }: Task,
): NewEvent => ({
  project_id,
  type: `taskyard.task.${became}`,
  subject: id,
  data: { task_id: id, title },
});

const place = ({ project_id, stage }: NewTask) => ({ project_id, status: statusOf(stage), stage });
