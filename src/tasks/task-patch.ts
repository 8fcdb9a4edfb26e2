import { refusal } from '../platform/fields/input-errors.js';
import type { TaskPatch } from './task-change.js';
import type { TaskFields } from './task.dto.js';

/** The fields of a new task. @throws AppError invalid_argument */
export function patchOf({
  title,
  description,
  priority,
  tags,
  due_date,
}: Omit<TaskFields, 'request_id'>): TaskPatch & { title: string } {
  return { title: title.trim(), description: description || null, priority, tags, due_date: timeOf(due_date) };
}

/** The field checks digits, not calendars: `+99:99` is no zone. @throws AppError invalid_argument */
export function timeOf(due_date: string | null | undefined): Date | null | undefined {
  if (due_date === null || due_date === undefined) return due_date;
  const time = new Date(due_date);
  if (Number.isNaN(time.getTime()))
    throw refusal([{ field: 'due_date', message: 'due_date must be an RFC 3339 time' }]);
  return time;
}
